import type { ServiceContext } from "@/lib/context";
import { randomAlphanumeric } from "@/lib/crypto";
import { AppError } from "@/lib/errors";
import { parseInput } from "@/lib/validation";
import { createToken } from "./commands";
import { type CreateTokensInput, createTokensSchema } from "./schemas";

const SUFFIX_LENGTH = 6;

/** A token that was just made; `key` without "sk-". */
export type NewToken = { id: number; name: string; key: string };

export type TokenBatch = {
  made: NewToken[];
  /** Why it stopped before all were made; null when all are there. */
  failure: AppError | null;
};

/**
 * Makes `count` tokens alike (1 to 100). The first has the name as given, the others the name with "-" and six random
 * letters or digits; it stops at the first failure and keeps what was made (B193). Throws when nothing was made.
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
