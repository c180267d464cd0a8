import type { ServiceContext } from "@/lib/context";
import { randomAlphanumeric } from "@/lib/crypto";
import { AppError } from "@/lib/errors";
import { parseInput } from "@/lib/validation";
import { createToken } from "./commands";
import { type CreateTokensInput, createTokensSchema } from "./schemas";

const SUFFIX_LENGTH = 6;

/** A newly created token; `key` without "sk-". */
export type NewToken = { id: number; name: string; key: string };

export type TokenBatch = {
  made: NewToken[];
  /** Why it stopped before all tokens were created; null when all were created. */
  failure: AppError | null;
};

/**
 * Creates `count` equal tokens (1 to 100). The first has the given name, the others the name with "-" and six random
 * letters or digits. It stops at the first failure and keeps the tokens created before (B193). Throws when none was
 * created.
 */
export async function createTokens(ctx: ServiceContext, input: CreateTokensInput): Promise<TokenBatch> {
  const { count, ...fields } = parseInput(createTokensSchema, input);
  const made: NewToken[] = [];
  for (let index = 0; index < count; index++) {
    const name = index === 0 ? fields.name : `${fields.name}-${randomAlphanumeric(SUFFIX_LENGTH)}`;
    try {
      const { token, key } = await createToken(ctx, { ...fields, name });
      made.push({ id: token.id, name: token.name, key });
    } catch (error) {
      if (!(error instanceof AppError) || made.length === 0) throw error;
      return { made, failure: error };
    }
  }
  return { made, failure: null };
}
