import { redirect } from "next/navigation";

/** The seed's address of an empty editor: the list with its drawer open. */
export default function AddChannelPage() {
  redirect("/channel?create=true");
}
