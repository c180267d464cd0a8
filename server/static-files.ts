import { type Dirent, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, posix, relative, sep } from "node:path";
import { acceptedEncoding, ENCODINGS, type Encoding, withVary } from "./accepted-encoding";

/** The suffixes that scripts/precompress.mjs gives to compressed copies. */
const SUFFIXES: Record<Encoding, string> = { br: ".br", gzip: ".gz" };
const TYPES: Record<string, string> = {
  ".css": "text/css; charset=UTF-8",
  ".js": "application/javascript; charset=UTF-8",
  ".json": "application/json; charset=UTF-8",
  ".mjs": "application/javascript; charset=UTF-8",
  ".svg": "image/svg+xml",
};

/** What stands for one file in each encoding that makes it smaller, read from the disk when first asked for. */
type StaticFile = { path: string; type: string; bodies: Map<Encoding, Promise<Buffer> | null> };

/**
 * Answers requests for the build's static files whose compressed copy lies beside them: true if it has. All others,
 * and requests for parts of a file, are Next's.
 */
export function createStaticFiles(folder: string, address = "/_next/static") {
  const files = findCompressed(folder, address);

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const file = files.get(pathOf(request));
    if (!file) return false;
    response.setHeader("vary", withVary(response.getHeader("vary")));
    const isWhole = (request.method === "GET" || request.method === "HEAD") && !request.headers.range;
    const offered = ENCODINGS.filter((encoding) => file.bodies.has(encoding));
    const encoding = acceptedEncoding(request.headers["accept-encoding"], offered);
    if (!isWhole || !encoding) return false;
    const body = await bodyOf(file, encoding);
    response.writeHead(200, {
      "cache-control": "public, max-age=31536000, immutable",
      "content-encoding": encoding,
      "content-length": body.length,
      "content-type": file.type,
      "x-content-type-options": "nosniff",
    });
    response.end(request.method === "HEAD" ? undefined : body);
    return true;
  }
  return answer;
}

/** The path without its query, as Next names its files: they have no characters that need escapes. */
function pathOf({ url = "/" }: IncomingMessage): string {
  const query = url.indexOf("?");
  return query < 0 ? url : url.slice(0, query);
}

function bodyOf(file: StaticFile, encoding: Encoding): Promise<Buffer> {
  const known = file.bodies.get(encoding);
  if (known) return known;
  const reading = readFile(`${file.path}${SUFFIXES[encoding]}`);
  file.bodies.set(encoding, reading);
  // The next request tries again.
  reading.catch(() => file.bodies.set(encoding, null));
  return reading;
}

function findCompressed(folder: string, address: string): Map<string, StaticFile> {
  const found = new Map<string, StaticFile>();
  for (const entry of entriesOf(folder)) {
    const encoding = ENCODINGS.find((one) => entry.name.endsWith(SUFFIXES[one]));
    if (!entry.isFile() || !encoding) continue;
    const path = join(entry.parentPath, entry.name.slice(0, -SUFFIXES[encoding].length));
    const type = TYPES[extname(path)];
    if (!type) continue;
    const key = posix.join(address, relative(folder, path).split(sep).join("/"));
    const file = found.get(key) ?? { path, type, bodies: new Map() };
    file.bodies.set(encoding, null);
    found.set(key, file);
  }
  return found;
}

/** All entries below a folder; none if it is not there, as in development. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
