const CAUSE_MAX = 160;
/** Of a longer text only the start is read: it is grouped by what it says first. */
const READ_MAX = 600;

/** What differs between two errors of one cause, and what stands for it. The order matters: ids contain numbers. */
const DIFFERING: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/\(request id: [^)]*\)/gi, ""],
  [/[\w.+-]+@[\w-]+(\.[\w-]+)+/g, "<address>"],
  [/\b[a-z][a-z+.-]*:\/\/[^\s"'`)]+/gi, "<url>"],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "<id>"],
  [/\b(?:sk|req|msg|resp|chatcmpl|org|proj|key)[-_][\w*-]+/gi, "<id>"],
  [/"[^"]{1,200}"|`[^`]{1,200}`|(?<![\w])'[^']{1,200}'(?!\w)/g, "…"],
  [/\b(?=[\w-]*\d)[0-9a-z_-]{16,}\b/gi, "<id>"],
  [/\d+(?:[.,:]\d+)*/g, "#"],
  [/\s+/g, " "],
];

/** The text of an error without ids, numbers, addresses and the model's name, at most 160 characters. Pure. */
export function errorCause(text: string, model: string): string {
  let cause = text.slice(0, READ_MAX);
  if (model !== "") cause = cause.replaceAll(model, "<model>");
  for (const [pattern, replacement] of DIFFERING) cause = cause.replace(pattern, replacement);
  return cause.trim().slice(0, CAUSE_MAX);
}
