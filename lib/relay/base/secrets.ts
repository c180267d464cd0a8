import { sha256Hex } from "@/lib/crypto";
import type { AttemptFailure } from "./classify-failure";
import type { RawError, RawFailure } from "./upstream-error";
import { cleanText } from "./upstream-error";

const SHOWN = "[redacted]";
/** Shorter texts are no secrets, and would be found in ordinary words. */
const LENGTH_MIN = 6;
/** Of a longer secret its beginning alone is redacted too, with what follows it: upstreams cut what they quote. */
const PREFIX = 12;
const PREFIXED_MIN = 20;
/** Longer parts of a key count as secrets of their own: lines of a private key, halves of a double key. */
const PART_MIN = 16;

/**
 * The secrets that one attempt sends. Everything an upstream words, and that is shown, stored or logged, goes through
 * `redact` or `failure`: an upstream may quote the headers it received.
 */
export class Secrets {
  private readonly key: string;
  private readonly headers: readonly string[];
  private readonly proxy: string;
  private found: RegExp | null | undefined;

  /** `headers`: alternating names and values of the headers that were made from the key. */
  constructor(key: string, headers: readonly string[], proxy: string) {
    this.key = key;
    this.headers = headers;
    this.proxy = proxy;
  }

  /** Tells the account that was asked, without the key. */
  keyHash(): string {
    return sha256Hex(this.key);
  }

  redact(text: string): string {
    this.found ??= patternOf(secretsOf(this.key, this.headers, this.proxy));
    return this.found === null ? text : text.replace(this.found, SHOWN);
  }

  /** The upstream's error as it may be shown. */
  open(error: RawError) {
    return error.read((text) => cleanText(this.redact(text)));
  }

  failure(failure: RawFailure): AttemptFailure {
    return failure.kind === "status" ? { ...failure, error: this.open(failure.error) } : failure;
  }
}

function secretsOf(key: string, headers: readonly string[], proxy: string): Set<string> {
  const secrets = new Set<string>();
  for (const value of [...partsOf(key), ...headers.filter((_, at) => at % 2 === 1).flatMap(partsOf)]) {
    for (const form of formsOf(value)) secrets.add(form);
  }
  for (const value of credentialsOf(proxy)) for (const form of formsOf(value)) secrets.add(form);
  return secrets;
}

/** A header's or a key's value, its words and its long parts. */
function partsOf(value: string): string[] {
  const words = value.split(/[\s|]+/);
  // A document of JSON has its line ends as two characters.
  const parts = value.split(/(?:\\n|[\s|.:,"'{}\\])+/).filter((part) => part.length >= PART_MIN);
  return [value, ...words, ...parts].filter((part) => part.length >= LENGTH_MIN && !/^(bearer|basic)$/i.test(part));
}

function credentialsOf(proxy: string): string[] {
  if (!URL.canParse(proxy)) return [];
  const { username, password } = new URL(proxy);
  const [name, word] = [decode(username), decode(password)];
  return [name, word, username, password, ...(word === "" ? [] : [`${name}:${word}`])];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A secret as it may be written: plain, as part of a URL, and in base64 at every offset within a longer text. */
function formsOf(value: string): string[] {
  if (value.length < LENGTH_MIN) return [];
  const encoded = [0, 1, 2].flatMap((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), Buffer.from(value)]).toString("base64");
    // The outer characters also depend on what surrounds the secret.
    const inner = text.slice(offset === 0 ? 0 : offset + 1).replace(/=+$/, "");
    const sure = inner.slice(0, -1);
    return [sure, sure.replaceAll("+", "-").replaceAll("/", "_")];
  });
  return [value, encodeURIComponent(value), ...encoded.filter((text) => text.length >= LENGTH_MIN)];
}

/** Null = there is nothing to hide. Without nested repetition, so it takes linear time. */
function patternOf(secrets: ReadonlySet<string>): RegExp | null {
  const longestFirst = [...secrets].sort((a, b) => b.length - a.length);
  const texts = longestFirst.map(escapePattern);
  const beginnings = new Set(
    longestFirst
      .filter((secret) => secret.length >= PREFIXED_MIN)
      .map((secret) => `${escapePattern(secret.slice(0, PREFIX))}[\\w.+/=-]*`),
  );
  const all = [...texts, ...beginnings];
  return all.length === 0 ? null : new RegExp(all.join("|"), "gi");
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
