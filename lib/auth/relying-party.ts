import type { Database } from "@/db/client";
import { AppError } from "@/lib/errors";
import { loadOptions } from "@/lib/option/queries";
import { isSecureRequest } from "@/lib/request/client-address";

/** Whom a passkey is for (WebAuthn): `id` is a host name, `origin` the address that the browser must be at. */
export type RelyingParty = { id: string; origin: string; name: string };

/**
 * The address that the reader came by. A browser uses a passkey only at the address it was made for and signs that
 * address, so the request's own host is as good as a configured one; where it is the host of ServerAddress, that says
 * whether it is https (a proxy in front may have taken that away). Throws invalid for a request that names no host.
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
