import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { consolePath } from "@/components/shell/menu";
import { NotFoundMessage } from "@/components/shell/not-found-message";
import { getContext } from "@/lib/auth/session";
import PublicLayout from "./(public)/layout";
import { getSite } from "./site";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("status"))("notFoundTitle") };
}

/** An address that no route has. It has the site's header, so that the visitor can go somewhere else. */
export default async function NotFound() {
  const [{ actor }, { flags }] = await Promise.all([getContext(), getSite()]);
  return (
    <PublicLayout>
      <NotFoundMessage consoleHref={actor.type === "user" ? consolePath(flags) : null} />
    </PublicLayout>
  );
}
