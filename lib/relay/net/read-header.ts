/** OR with this makes an ASCII capital lower case; other characters of header names stay the same. */
const LOWER_CASE = 0x20;

/** The first header of this name; `name` must be in lower case. */
export function readHeader(headers: readonly Buffer[], name: string): string | undefined {
  for (let i = 0; i < headers.length; i += 2) {
    const key = headers[i];
    if (key && isNamed(key, name)) return headers[i + 1]?.toString("latin1");
  }
  return undefined;
}

function isNamed(key: Buffer, name: string): boolean {
  if (key.length !== name.length) return false;
  for (let i = 0; i < name.length; i++) {
    if (((key[i] ?? 0) | LOWER_CASE) !== name.charCodeAt(i)) return false;
  }
  return true;
}
