import type { OptionValues } from "@/lib/option/registry";
import type { CodeProvider, OutsideIdentity } from "./types";

/** What an authorize page is opened with; `codeChallenge` is S256. */
export type AuthorizeRequest = {
  state: string;
  redirectUri: string;
  codeChallenge: string;
  nonce: string;
};

/** What came back from it. `codeVerifier` and `nonce` are "" where the provider does not check them. */
export type CodeGrant = {
  code: string;
  redirectUri: string;
  codeVerifier: string;
  nonce: string;
};

/** One provider of the authorization code flow; its endpoints are read from the options at each call. */
export type CodeExchange = {
  provider: CodeProvider;
  /** Checks PKCE and a nonce, so that the address of its authorize page can only be made here. */
  isBound: boolean;
  authorizeUrl: (options: OptionValues, request: AuthorizeRequest) => Promise<string>;
  /** Trades a code for who it is of. Throws "invalid" for a refused code, "upstream" for a provider that is away. */
  identify: (options: OptionValues, grant: CodeGrant) => Promise<OutsideIdentity>;
};

/** An address with these query parameters, whatever it had before. */
export function withParameters(address: string, parameters: Record<string, string>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** A text of a provider's answer as one line of bounded length; "" for what is no text. */
export function cleanText(value: unknown, lengthMax: number): string {
  if (typeof value !== "string") return "";
  return Array.from(value.replace(/[\p{Cc}\p{Cf}]+/gu, " ").trim())
    .slice(0, lengthMax)
    .join("");
}

/** A provider's id as text: a whole number or a text of 1–255 characters; null for anything else. */
export function stableId(value: unknown): string | null {
  if (typeof value === "number") return Number.isSafeInteger(value) && value > 0 ? String(value) : null;
  return typeof value === "string" && /^[\x21-\x7e]{1,255}$/.test(value) ? value : null;
}

/** HTTP Basic for a client (RFC 6749 §2.3.1: both parts form-encoded first). */
export function basicAuthorization(clientId: string, clientSecret: string): string {
  const encoded = [clientId, clientSecret].map((part) => new URLSearchParams([["", part]]).toString().slice(1));
  return `Basic ${Buffer.from(encoded.join(":")).toString("base64")}`;
}
