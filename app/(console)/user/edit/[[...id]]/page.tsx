import type { Metadata } from "next";
import { notFound, redirect } from "next/navigation";
import { getTranslations } from "next-intl/server";
import { ListHeader } from "@/components/data-table/list-parts";
import { SelfForm } from "@/components/user/self-form";
import { getSelf } from "@/lib/user/queries";
import { getSignedIn } from "../../../signed-in";

const ID = /^[1-9]\d{0,9}$/;

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("user"))("selfTitle") };
}

/** The URLs of B012: /user/edit/{id} opens the list with its drawer, /user/edit the user's own settings. */
export default async function EditUserPage({ params }: PageProps<"/user/edit/[[...id]]">) {
  const { id = [] } = await params;
  const [first, ...rest] = id;
  if (rest.length > 0 || (first !== undefined && !ID.test(first))) notFound();
  if (first !== undefined) redirect(`/user?edit=${first}`);
  const [ctx, t] = await Promise.all([getSignedIn(), getTranslations("user")]);
  const { username, displayName } = await getSelf(ctx);
  return (
    <div className="mx-auto max-w-xl">
      <ListHeader title={t("selfTitle")} lead={t("selfLead")} />
      <section className="rounded-lg border bg-surface p-5">
        <SelfForm own={{ username, displayName }} />
      </section>
    </div>
  );
}
