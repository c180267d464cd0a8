import type { RequestBody } from "../base/large-body";
import type { Credentials } from "./channel-type";
import { ChannelSetupError } from "./setup-error";

type Address = { origin: string; path: string };

/** Where a request goes, with what its credentials change of it. */
export function addressWith({ origin, path }: Address, { url, query }: Credentials): Address {
  if (url === undefined && query === undefined) return { origin, path };
  const changed = new URL(url ?? origin + path);
  if (query) changed.search += (changed.search === "" ? "?" : "&") + queryOf(query);
  return { origin: changed.origin, path: changed.pathname + changed.search };
}

function queryOf(pairs: readonly string[]): string {
  const parameters = new URLSearchParams();
  for (let at = 0; at + 1 < pairs.length; at += 2) parameters.append(pairs[at] ?? "", pairs[at + 1] ?? "");
  return parameters.toString();
}

/** A JSON object with the credentials' fields before its own. Throws ChannelSetupError for another body. */
export function bodyWith(body: RequestBody, { fields }: Credentials): RequestBody {
  if (!fields) return body;
  if ("open" in body) throw new ChannelSetupError("the channel's type takes JSON only", "get_channel_failed");
  const added = JSON.stringify(fields).slice(0, -1);
  const rest = body.subarray(body.indexOf("{") + 1);
  const isEmpty = /^\s*\}/.test(rest.subarray(0, 64).toString("latin1"));
  return Buffer.concat([Buffer.from(isEmpty || added === "{" ? added : `${added},`), rest]);
}

/** Alternating names and values of everything that an upstream might quote. */
export function secretPairs({ headers, query, url }: Credentials): readonly string[] {
  if (url === undefined && query === undefined) return headers;
  const ofUrl = url === undefined ? [] : [...new URL(url).searchParams].flat();
  return [...headers, ...(query ?? []), ...ofUrl];
}
