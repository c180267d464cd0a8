import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { getTranslations } from "next-intl/server";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("status"))("notFoundTitle") };
}

/**
 * An address that no route has. As a page of its own, because Next sends app/not-found.tsx along with every page of the
 * site: a second bar, menu and footer that nobody sees.
 */
export default function UnknownPage(): never {
  notFound();
}
