import { redirect } from "next/navigation";

/** The URL of an empty editor (B008). Redirects to the list with its drawer open. */
export default function AddChannelPage() {
  redirect("/channel?create=true");
}
