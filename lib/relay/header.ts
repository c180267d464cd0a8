import type { IncomingMessage } from "node:http";

/**
 * The first header of this name, which is in lower case, as the caller sent it. `request.headers` would build an object of
 * all headers, some fifteen with the official clients, of which the relay needs two or three.
 */
export function headerOf({ rawHeaders }: Pick<IncomingMessage, "rawHeaders">, name: string): string | undefined {
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const key = rawHeaders[i];
    if (key?.length === name.length && key.toLowerCase() === name) return rawHeaders[i + 1];
  }
  return undefined;
}
