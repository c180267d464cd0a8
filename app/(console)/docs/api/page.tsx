import type { Metadata } from "next";
import { getLocale, getTranslations } from "next-intl/server";
import { describeApi } from "@/app/api/openapi.json/document";
import { getSite } from "@/app/site";
import { ApiReference } from "@/components/docs/api-reference";
import { Texts } from "@/components/shell/texts";
import { getSignedIn } from "../../signed-in";

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations("docs"))("title") };
}

export default async function ApiReferencePage() {
  const [, { systemName, serverAddress }, locale] = await Promise.all([getSignedIn(), getSite(), getLocale()]);
  const document = describeApi({ title: systemName, serverUrl: serverAddress }, locale);
  return (
    <Texts of={["docs"]}>
      <ApiReference document={document} baseUrl={serverAddress} />
    </Texts>
  );
}
