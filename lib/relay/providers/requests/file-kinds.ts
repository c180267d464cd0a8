/** Media types by file extension, of files that are not text. */
const BY_ENDING: Readonly<Record<string, string>> = {
  pdf: "application/pdf",
  doc: "application/msword",
  xls: "application/vnd.ms-excel",
  ppt: "application/vnd.ms-powerpoint",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  odt: "application/vnd.oasis.opendocument.text",
  ods: "application/vnd.oasis.opendocument.spreadsheet",
  odp: "application/vnd.oasis.opendocument.presentation",
  epub: "application/epub+zip",
  zip: "application/zip",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  csv: "text/csv",
  html: "text/html",
  md: "text/markdown",
  json: "application/json",
  xml: "application/xml",
};

/**
 * Media types that say nothing of a file. Windows calls tables of plain text Excel's, and browsers take TypeScript for a film:
 * https://developer.mozilla.org/docs/Web/HTTP/Guides/MIME_types/Common_types (November 2026).
 */
const VAGUE = new Set(["", "application/octet-stream", "binary/octet-stream", "application/x-download", "file"]);
const OFTEN_WRONG = new Set([
  "application/vnd.ms-excel",
  "application/msword",
  "video/mp2t",
  "video/vnd.dlna.mpeg-tts",
]);
const ZIPPED = /officedocument|opendocument|epub|zip/;

/** How the base64 of binary files begins. */
const BEGINNINGS: readonly (readonly [string, string])[] = [
  ["JVBERi", "application/pdf"],
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UEsDB", "application/zip"],
  ["0M8R4KGxGuE", "application/x-ole-storage"],
];

/** The media type of a file: what it begins with where that is sure, else what is said of it, else what its name ends in. */
export function kindOfFile(given: string, name: string | undefined, data: string): string {
  const type = given.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const ending = /\.(\w{1,8})$/.exec(name ?? "")?.[1]?.toLowerCase() ?? "";
  const said = VAGUE.has(type) ? (BY_ENDING[ending] ?? "") : type === "application/x-pdf" ? "application/pdf" : type;
  const begins = BEGINNINGS.find(([beginning]) => data.startsWith(beginning))?.[1];
  if (begins === undefined && OFTEN_WRONG.has(said) && textOfFile("text/plain", data) !== null) {
    return ending === "csv" ? "text/csv" : "text/plain";
  }
  if (begins === undefined) return said || "text/plain";
  if (begins === "application/zip") return ZIPPED.test(said) ? said : begins;
  if (begins === "application/x-ole-storage") return /^(text\/|$)/.test(said) ? begins : said;
  return begins;
}

const UTF8 = new TextDecoder("utf-8", { fatal: true });
const WINDOWS = new TextDecoder("windows-1252");
/** Office files and archives are no text, whatever their bytes are. */
const NO_TEXT = /officedocument|opendocument|msword|ms-excel|ms-powerpoint|epub|zip|ole-storage|^font\/|^model\//;
/** Control characters that no text has. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const BINARY = /[\u0000-\u0008\u000e-\u001a\u001c-\u001f]/;

/** The text of a file in base64; null = it is none. Older programs write Windows-1252. */
export function textOfFile(mediaType: string, data: string): string | null {
  if (NO_TEXT.test(mediaType)) return null;
  const bytes = Buffer.from(data, "base64");
  const text = decode(bytes);
  return BINARY.test(text) ? null : text;
}

function decode(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  try {
    return UTF8.decode(bytes);
  } catch {
    return WINDOWS.decode(bytes);
  }
}
