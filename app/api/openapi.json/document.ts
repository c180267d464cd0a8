import { buildDocument } from "@/lib/http/openapi/document";
import { apiTexts } from "@/lib/http/openapi/texts";
import type { OpenApiDocument } from "@/lib/http/openapi/types";
import type { Locale } from "@/lib/i18n/locale";
import packageJson from "@/package.json";
import { routeTables } from "./tables";

type Site = { title: string; serverUrl: string };

/** The last document of each language. Valid until the site's name or URL changes. */
const made = new Map<Locale, { site: string; document: OpenApiDocument }>();

/** The whole OpenAPI document in one language, with the server URL of this site. */
export function describeApi(site: Site, locale: Locale): OpenApiDocument {
  const key = JSON.stringify(site);
  const known = made.get(locale);
  if (known?.site === key) return known.document;
  const texts = apiTexts(locale);
  const document = buildDocument({ ...site, tables: routeTables(), texts, version: packageJson.version });
  made.set(locale, { site: key, document });
  return document;
}
