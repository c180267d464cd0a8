import type { Database } from "@/db/client";
import { AppError } from "@/lib/errors";
import { loadOptions } from "@/lib/option/queries";
import { isSecureRequest } from "@/lib/request/client-address";

/** The WebAuthn relying party: `id` is the host name, `origin` the address that the browser must be on. */
export type RelyingParty = { id: string; origin: string; name: string };

/**
 * The relying party for the address of this request. A browser signs the address and uses a passkey only there, so the
 * request's own host can be trusted. If it is the host of ServerAddress, the scheme is taken from there, because a
 * reverse proxy may have ended https. Throws invalid for a request without a host.
 */
export async function relyingPartyOf(db: Database, headers: Headers): Promise<RelyingParty> {
  const { ServerAddress, SystemName: name } = await loadOptions(db);
  const host = (headers.get("x-forwarded-host") ?? headers.get("host") ?? "").split(",")[0]?.trim() ?? "";
  const configured = parseAddress(ServerAddress);
  const scheme = isSecureRequest(headers) ? "https" : "http";
  const own = configured?.host === host.toLowerCase() ? configured : parseAddress(`${scheme}://${host}`);
  if (!own?.hostname) throw new AppError("invalid", "passkeyAddress");
  return { id: own.hostname, origin: own.origin, name };
}

function parseAddress(address: string): URL | null {
  return URL.canParse(address) ? new URL(address) : null;
}
