import { logger } from "@/lib/logger";
import type { Credentials } from "../channel-type";
import { type FetchToken, TokenCache } from "./token-cache";

/** The access tokens of this process. */
export const processTokens = new TokenCache({
  onRenewalFailed: (error) =>
    logger.warn({ reason: error instanceof Error ? error.message : "error" }, "an access token could not be renewed"),
});

type Use = { tokens: TokenCache; id: string; fetch: FetchToken; shown: (token: string) => Credentials };

/** Credentials with a cached token, which is dropped when the upstream refuses it. */
export function withToken({ tokens, id, fetch, shown }: Use): Credentials | Promise<Credentials> {
  const credentials = (token: string): Credentials => ({
    ...shown(token),
    onRefused: () => tokens.refused(id, token),
  });
  const token = tokens.get(id, fetch);
  return typeof token === "string" ? credentials(token) : token.then(credentials);
}
