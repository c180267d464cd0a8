import { createLocalJWKSet, type JSONWebKeySet } from "jose";
import type { OptionValues } from "@/lib/option/registry";
import { askProvider } from "./ask-provider";
import { answerUnusable, notConfigured } from "./refusals";

const DISCOVERY_PATH = "/.well-known/openid-configuration";
const FRESH_MS = 10 * 60_000;
/** A key that is not known may be a new one; asked for at most this often. */
const RELOAD_MS = 30_000;
const CACHED_MAX = 8;

export type OidcEndpoints = {
  /** null without a discovery document: then no id_token can be verified and the user info endpoint says who it is. */
  issuer: string | null;
  authorization: string;
  token: string;
  userInfo: string | null;
  jwks: string | null;
  /** How the token endpoint wants to be told the client's secret. */
  secretInBody: boolean;
  trustOf: (endpoint: string) => "operator" | "public";
};

type Cached = { json: Record<string, unknown>; loadedAt: number };
const holder = globalThis as typeof globalThis & { weirOidcDocuments?: Map<string, Cached> };

function documents(): Map<string, Cached> {
  holder.weirOidcDocuments ??= new Map();
  return holder.weirOidcDocuments;
}

async function load(url: string, trust: "operator" | "public", freshMs: number): Promise<Record<string, unknown>> {
  const cache = documents();
  const known = cache.get(url);
  if (known && Date.now() - known.loadedAt < freshMs) return known.json;
  const { status, json } = await askProvider("oidc", url, { trust });
  if (status !== 200) throw answerUnusable("oidc");
  const oldest = cache.keys().next();
  if (cache.size >= CACHED_MAX && !oldest.done) cache.delete(oldest.value);
  cache.set(url, { json, loadedAt: Date.now() });
  return json;
}

/** The address of the discovery document: the option may name it, or just the issuer. */
function discoveryAddress(wellKnown: string): string {
  return wellKnown.includes("/.well-known/") ? wellKnown : wellKnown + DISCOVERY_PATH;
}

const addressIn = (json: Record<string, unknown>, name: string): string =>
  typeof json[name] === "string" ? (json[name] as string) : "";

function wantsSecretInBody(json: Record<string, unknown>): boolean {
  const methods = json.token_endpoint_auth_methods_supported;
  return Array.isArray(methods) && !methods.includes("client_secret_basic") && methods.includes("client_secret_post");
}

/**
 * Where the OIDC provider is asked: its discovery document, with the endpoints that the operator has filled in taking its
 * place. An endpoint that the document names on another host is trusted like the public. Throws unavailable when neither
 * says enough.
 */
export async function oidcEndpoints(options: OptionValues): Promise<OidcEndpoints> {
  const wellKnown = options["oidc.well_known"];
  const own = [
    options["oidc.authorization_endpoint"],
    options["oidc.token_endpoint"],
    options["oidc.user_info_endpoint"],
  ];
  const found = wellKnown === "" ? {} : await load(discoveryAddress(wellKnown), "operator", FRESH_MS);
  const authorization = own[0] || addressIn(found, "authorization_endpoint");
  const token = own[1] || addressIn(found, "token_endpoint");
  const userInfo = own[2] || addressIn(found, "userinfo_endpoint") || null;
  const issuer = addressIn(found, "issuer") || null;
  const jwks = addressIn(found, "jwks_uri") || null;
  if (!URL.canParse(authorization) || !URL.canParse(token)) throw notConfigured("oidc");
  if (!(issuer && jwks) && !userInfo) throw notConfigured("oidc");
  const home = wellKnown === "" ? "" : new URL(wellKnown).hostname;
  return {
    issuer,
    authorization,
    token,
    userInfo,
    jwks,
    secretInBody: wantsSecretInBody(found),
    trustOf: (endpoint) =>
      own.includes(endpoint) || (URL.canParse(endpoint) && new URL(endpoint).hostname === home) ? "operator" : "public",
  };
}

/** The provider's signing keys. With `reload` they are asked for again, for a key that was not among them. */
export async function oidcKeys(endpoints: OidcEndpoints & { jwks: string }, reload: boolean) {
  const json = await load(endpoints.jwks, endpoints.trustOf(endpoints.jwks), reload ? RELOAD_MS : FRESH_MS);
  try {
    return createLocalJWKSet(json as unknown as JSONWebKeySet);
  } catch (error) {
    throw answerUnusable("oidc", error);
  }
}
