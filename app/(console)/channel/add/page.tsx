import { redirect } from "next/navigation";

/** The address of an empty editor (B008): the list with its drawer open. */
export default function AddChannelPage() {
  redirect("/channel?create=true");
}
