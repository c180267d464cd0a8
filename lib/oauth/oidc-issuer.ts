import { LRUCache } from "lru-cache";
import { custom, Issuer, type IssuerMetadata } from "openid-client";
import type { Trust } from "@/lib/egress";
import type { OptionValues } from "@/lib/option/registry";
import { guardBy } from "./code-source";
import { explainProviderError } from "./provider-error";
import { notConfigured } from "./refusals";

const FRESH_MS = 10 * 60_000;
const CACHED_MAX = 8;

/** `trustOf`: an address on another host that only the discovery document names is trusted as "public". */
export type OidcIssuer = { issuer: Issuer; trustOf: (url: URL) => Trust };

const holder = globalThis as typeof globalThis & { weirOidcIssuers?: LRUCache<string, OidcIssuer> };

/** Cached with the keys that openid-client has loaded. */
function known(): LRUCache<string, OidcIssuer> {
  holder.weirOidcIssuers ??= new LRUCache({ max: CACHED_MAX, ttl: FRESH_MS });
  return holder.weirOidcIssuers;
}

async function discover(wellKnown: string): Promise<IssuerMetadata> {
  // The class itself requests only this address; the addresses in the document are requested by the issuer and its clients.
  Issuer[custom.http_options] = guardBy(() => "operator");
  const { metadata } = await Issuer.discover(wellKnown).catch((error: unknown) => {
    throw explainProviderError("oidc", "discovery", error);
  });
  return metadata;
}

/**
 * The OpenID Connect provider: its discovery document, overridden by the endpoints that the operator configured. Throws
 * unavailable when both together are incomplete.
 */
export async function loadOidcIssuer(options: OptionValues): Promise<OidcIssuer> {
  const wellKnown = options["oidc.well_known"];
  const own = {
    authorization_endpoint: options["oidc.authorization_endpoint"],
    token_endpoint: options["oidc.token_endpoint"],
    userinfo_endpoint: options["oidc.user_info_endpoint"],
  };
  const name = JSON.stringify([wellKnown, own]);
  const cached = known().get(name);
  if (cached) return cached;
  const found: IssuerMetadata = wellKnown === "" ? { issuer: "" } : await discover(wellKnown);
  const filled = Object.fromEntries(Object.entries(own).filter(([, address]) => address !== ""));
  const metadata: IssuerMetadata = {
    ...found,
    ...filled,
    // Clients of the compatible API send back only code and state; see docs/sign-in.md.
    authorization_response_iss_parameter_supported: false,
  };
  assertComplete(metadata);
  const hosts = new Set([wellKnown, ...Object.values(own)].flatMap((text) => (text ? [new URL(text).hostname] : [])));
  const trustOf = (url: URL): Trust => (hosts.has(url.hostname) ? "operator" : "public");
  const issuer = new Issuer(metadata);
  issuer[custom.http_options] = guardBy(trustOf);
  const loaded = { issuer, trustOf };
  known().set(name, loaded);
  return loaded;
}

/**
 * The provider as the options name it. It keys accounts where no issuer is known: those of a provider without a discovery
 * document, and those from before issuers were stored, which a migration gave to the provider of that time.
 */
export function configuredIssuer(options: OptionValues): string {
  return `configured:${options["oidc.well_known"] || options["oidc.user_info_endpoint"]}`;
}

/** Whether identity tokens can be verified. Without a discovery document the user info endpoint identifies the user. */
export function hasKeys({ metadata }: Issuer): boolean {
  return Boolean(metadata.issuer && metadata.jwks_uri);
}

function assertComplete(metadata: IssuerMetadata): void {
  const { authorization_endpoint: authorize, token_endpoint: token, userinfo_endpoint: userInfo } = metadata;
  const isAddress = (text: unknown) => typeof text === "string" && URL.canParse(text);
  const saysWho = Boolean(metadata.issuer && metadata.jwks_uri) || isAddress(userInfo);
  if (!isAddress(authorize) || !isAddress(token) || !saysWho) throw notConfigured("oidc");
}
