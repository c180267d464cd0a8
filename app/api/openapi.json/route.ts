import { getSite } from "@/app/site";
import { localeOf } from "@/lib/http/message";
import { limited } from "@/lib/http/rate-limit";
import { refuseMethod } from "@/lib/http/reply";
import { LOCALES, type Locale } from "@/lib/i18n/locale";
import { describeApi } from "./document";

/** The OpenAPI 3.1 document of /api, the playground and the relay. Public. `?lang=` chooses its language. */
export const GET = limited("global", "api", async (request) => {
  const { systemName, serverAddress } = await getSite();
  const document = describeApi({ title: systemName, serverUrl: serverAddress }, localeAsked(request));
  return Response.json(document, { headers: { "cache-control": "no-store", "access-control-allow-origin": "*" } });
});

const others = limited("global", "api", (request) => refuseMethod(request, localeOf(request), ["GET"]));

export { others as DELETE, others as OPTIONS, others as PATCH, others as POST, others as PUT };

function localeAsked(request: Request): Locale {
  const asked = new URL(request.url).searchParams.get("lang");
  return LOCALES.find((locale) => locale === asked) ?? localeOf(request);
}
