import { notFound, redirect } from "next/navigation";

const ID = /^[1-9]\d{0,9}$/;

/** The URL of the editor (B008). Redirects to the list with its drawer open. */
export default async function EditChannelPage({ params }: PageProps<"/channel/edit/[id]">) {
  const { id } = await params;
  if (!ID.test(id)) notFound();
  redirect(`/channel?edit=${id}`);
}
