import { defaultOptions } from "@/lib/option/registry";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import type { UpstreamRow } from "@/lib/relay/providers";
import { rows } from "@/lib/relay/providers";

/** The paths that people copy from the documentation of OpenAI's API and of those like it. */
const OPENAI_PATHS = [
  "chat/completions",
  "completions",
  "responses",
  "embeddings",
  "models",
  "messages",
  "images/generations",
  "images/edits",
  "audio/speech",
  "audio/transcriptions",
  "audio/translations",
  "moderations",
  "rerank",
  "realtime",
  "files",
  "batches",
  "videos",
];
/** A path that is behind a base URL without its version, too, and is none of a reverse proxy. */
const WITHOUT_VERSION =
  /\/(chat\/completions|images\/(generations|edits)|audio\/(speech|transcriptions|translations))$/i;
const VERSION = /^v\d+(?:alpha|beta\d*)?$/i;
/** Of interfaces of the makers' own: help.aliyun.com/zh/model-studio/dashscope-api-reference, docs.ollama.com/api. */
const OWN_ENDINGS: Readonly<Record<number, readonly RegExp[]>> = {
  [CHANNEL_TYPE.dashscope]: [/\/api\/v1(?:\/services\/.*)?$/i],
  [CHANNEL_TYPE.ollama]: [/\/api\/(?:chat|generate|embed|tags)$/i],
};
const HOST = "https://upstream.invalid";
const MODEL = "the-model";

/**
 * The base URL that was meant: an address is often copied with the version and the path that requests of its type get anyway
 * (https://host/v1, …/v1/chat/completions, …/v1beta/models/x:generateContent). Where the type takes a whole address, and
 * where the path is not one of its own, it stays as it is.
 */
export function meantBaseUrl(type: number, baseUrl: string): string {
  if (!URL.canParse(baseUrl) || /[?#]/.test(baseUrl)) return baseUrl;
  const endings = endingsOf(type);
  if (endings.length === 0) return baseUrl;
  let meant = baseUrl.replace(/\/+$/, "");
  for (let before = ""; before !== meant; ) {
    before = meant;
    // The address of the type itself may end like that.
    if (meant.toLowerCase() === rows.get(type)?.baseUrl.toLowerCase()) return meant;
    for (const ending of endings) meant = meant.replace(ending, "").replace(/\/+$/, "");
  }
  return new URL(meant).host === "" ? baseUrl : meant;
}

const known = new Map<number, readonly RegExp[]>();

function endingsOf(type: number): readonly RegExp[] {
  const before = known.get(type);
  if (before) return before;
  const row = rows.get(type);
  const paths = row && row.editor.address !== "full" ? pathsOf(row) : [];
  const copied = [...new Set(paths.flatMap(prefixesOf))].map((pattern) => new RegExp(`${pattern}$`, "i"));
  const endings = [...copied, ...(OWN_ENDINGS[type] ?? [])];
  const all = paths.some((path) => path.endsWith("/chat/completions")) ? [...endings, WITHOUT_VERSION] : endings;
  known.set(type, all);
  return all;
}

/** The paths behind the base URL that requests of the type get. */
function pathsOf(row: UpstreamRow): string[] {
  const makers = [row.url, row.storedUrl, row.countUrl, ...Object.values(row.serves).map((serving) => serving.url)];
  return makers.flatMap((make) =>
    make ? OPENAI_PATHS.flatMap((path) => ["", "v1"].flatMap((other) => pathBy(make, `/v1/${path}`, other))) : [],
  );
}

function pathBy(make: UpstreamRow["url"], path: string, other: string): string[] {
  const parts = { baseUrl: HOST, path, query: "", model: MODEL, other, isStream: false, options: defaultOptions() };
  try {
    const url = make(parts);
    return url.startsWith(`${HOST}/`) ? [new URL(url).pathname] : [];
  } catch {
    // The type needs settings for an address; it has none that could be copied.
    return [];
  }
}

/** Patterns of the path's beginnings from its version on: what a copied address may end with. */
function prefixesOf(path: string): string[] {
  const parts = path.split("/").slice(1);
  const at = parts.findIndex((part) => VERSION.test(part));
  if (at === -1) return [];
  return parts.slice(at).map((_, more) =>
    parts
      .slice(0, at + more + 1)
      .map((part) => `/${patternOf(part)}`)
      .join(""),
  );
}

function patternOf(part: string): string {
  // Google's version may be any of these.
  if (part === "v1beta") return "v1(?:alpha|beta\\d*)?";
  return part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(MODEL, "[^/]+");
}
