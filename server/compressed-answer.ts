import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { constants, createBrotliCompress, createGzip } from "node:zlib";
import { SESSION_COOKIE } from "@/lib/auth/session-token";
import { acceptedEncoding, type Encoding, withVary } from "./accepted-encoding";

/** Texts that end. Events are left out, and everything that is not named here. */
const COMPRESSED =
  /^(text\/(html|plain|css|csv|javascript|x-component)|application\/(json|javascript|xml)|image\/svg\+xml)(;|$)/;
/** Smaller bodies fit into one packet anyway. */
const BYTES_MIN = 1_024;
const NO_BODY = new Set([204, 206, 304]);

/**
 * Compresses what is written to an answer, if the client accepts it and the content is a text that ends. What has been
 * written goes out in the same turn of the event loop, so that a page that is sent in parts still arrives in parts.
 */
export function compressAnswer(request: IncomingMessage, response: ServerResponse): void {
  const encoding = acceptedEncoding(request.headers["accept-encoding"]);
  if (request.method === "HEAD") return;
  const plain = plainMethods(response);
  let compressor: Compressor | null | undefined;

  /** `bytes`: of the whole body, where it is known. */
  function decide(bytes?: number): Compressor | null {
    if (compressor !== undefined) return compressor;
    compressor = null;
    if (!isCompressible(response, bytes)) return null;
    response.setHeader("vary", withVary(response.getHeader("vary")));
    if (!encoding || isFromOtherSite(request)) return null;
    response.removeHeader("content-length");
    response.setHeader("content-encoding", encoding);
    const etag = response.getHeader("etag");
    if (typeof etag === "string" && !etag.startsWith("W/")) response.setHeader("etag", `W/${etag}`);
    compressor = connect(encoding, response, plain);
    return compressor;
  }

  Object.assign(response, {
    writeHead(status: number, ...rest: (string | OutgoingHttpHeaders | string[] | undefined)[]) {
      response.statusCode = status;
      for (const part of rest) if (typeof part === "string") response.statusMessage = part;
      for (const [name, value] of headerPairs(rest.find((part) => typeof part === "object")))
        response.setHeader(name, value);
      if (!response.headersSent) decide();
      plain.writeHead(status);
      return response;
    },
    flushHeaders() {
      if (!response.headersSent) decide();
      plain.flushHeaders();
    },
    write(chunk: Chunk, ...rest: unknown[]) {
      const to = decide();
      return to ? to.write(chunk, ...rest) : plain.write(chunk, ...rest);
    },
    end(...args: unknown[]) {
      const to = decide(wholeLength(args));
      if (!to) return plain.end(...args);
      to.end(...args);
      return response;
    },
  });
}

type Chunk = string | Uint8Array;
type Plain = {
  writeHead: (status: number) => void;
  flushHeaders: () => void;
  write: (chunk: Chunk, ...rest: unknown[]) => boolean;
  end: (...args: unknown[]) => ServerResponse;
};

function plainMethods(response: ServerResponse): Plain {
  return {
    writeHead: response.writeHead.bind(response) as Plain["writeHead"],
    flushHeaders: response.flushHeaders.bind(response),
    write: response.write.bind(response) as Plain["write"],
    end: response.end.bind(response) as Plain["end"],
  };
}

function* headerPairs(
  headers: OutgoingHttpHeaders | string[] | undefined | string,
): Generator<[string, string | string[]]> {
  if (headers === undefined || typeof headers === "string") return;
  if (!Array.isArray(headers)) {
    for (const [name, value] of Object.entries(headers))
      if (value !== undefined) yield [name, Array.isArray(value) ? value : String(value)];
    return;
  }
  const joined = new Map<string, string[]>();
  for (let i = 0; i + 1 < headers.length; i += 2) {
    const name = headers[i] ?? "";
    joined.set(name, [...(joined.get(name) ?? []), headers[i + 1] ?? ""]);
  }
  for (const [name, values] of joined) yield [name, values.length === 1 ? (values[0] ?? "") : values];
}

/** The length of a body that is given to `end` as a whole. */
function wholeLength([chunk]: unknown[]): number {
  return typeof chunk === "string" || chunk instanceof Uint8Array ? chunk.length : 0;
}

function isCompressible(response: ServerResponse, bytes: number | undefined): boolean {
  if (NO_BODY.has(response.statusCode) || response.hasHeader("content-encoding")) return false;
  if (/\bno-transform\b/.test(String(response.getHeader("cache-control") ?? ""))) return false;
  const length = response.getHeader("content-length") ?? bytes;
  if (length !== undefined && Number(length) < BYTES_MIN) return false;
  return COMPRESSED.test(String(response.getHeader("content-type") ?? ""));
}

/**
 * True when another site made the browser send a session: the size of a compressed answer could tell it whether a guess
 * of its own stands beside the user's data (BREACH).
 */
function isFromOtherSite({ headers }: IncomingMessage): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== "cross-site" && site !== "same-site") return false;
  return (headers.cookie ?? "").split(";").some((pair) => pair.trim().startsWith(`${SESSION_COOKIE}=`));
}

type Compressor = {
  write: (chunk: Chunk, ...rest: unknown[]) => boolean;
  end: (...args: unknown[]) => void;
};

function connect(encoding: Encoding, response: ServerResponse, plain: Plain): Compressor {
  const zip = createCompressor(encoding);
  let isFlushing = false;
  let isOwnDrain = false;
  let done: (() => void) | undefined;
  zip.on("data", (data: Buffer) => {
    if (!plain.write(data)) zip.pause();
  });
  response.on("drain", () => {
    if (!isOwnDrain) zip.resume();
  });
  zip.on("drain", () => {
    // Tells the writer to go on; the connection is not free because of it.
    isOwnDrain = true;
    response.emit("drain");
    isOwnDrain = false;
  });
  zip.once("end", () => plain.end(done));
  zip.once("error", (error) => response.destroy(error));
  response.once("close", () => zip.destroy());
  function flush(): void {
    isFlushing = false;
    if (!zip.writableEnded && !zip.destroyed) zip.flush();
  }
  return {
    write(chunk, ...rest) {
      if (zip.destroyed || zip.writableEnded) return false;
      const isReady = zip.write(chunk, ...(rest as []));
      if (!isFlushing) {
        isFlushing = true;
        setImmediate(flush);
      }
      return isReady;
    },
    end(...args) {
      const callback = args.findLast((arg) => typeof arg === "function");
      done ??= callback as (() => void) | undefined;
      if (zip.destroyed || zip.writableEnded) return;
      const [chunk, coding] = args;
      if (chunk === undefined || chunk === null || typeof chunk === "function") zip.end();
      else zip.end(chunk, ...((typeof coding === "string" ? [coding] : []) as []));
    },
  };
}

/** Levels at which a page takes a few milliseconds of a thread, and windows that keep an answer under a megabyte. */
function createCompressor(encoding: Encoding) {
  if (encoding === "gzip") return createGzip({ level: 5, flush: constants.Z_NO_FLUSH });
  return createBrotliCompress({
    params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 18 },
  });
}
