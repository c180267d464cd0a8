import { and, desc, inArray, type SQL, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { tokens } from "@/db/schema";
import type { ServiceContext } from "@/lib/context";
import { importedKeyHash, sha256Hex, unseal } from "@/lib/crypto";
import { isHashOnly } from "@/lib/key-hint";
import { hasProofOfSession } from "@/lib/proof";
import { ownedBy, type TokenOwner } from "./owner-queries";

/** What a hint shows of each end of its key. */
const HINT_END = 4;
/** Keys that begin or end alike: with 62 characters to choose from, hardly two. */
const ALIKE_MAX = 200;
/** Of other keys, how many one search decrypts: a millisecond or two. */
const NEWEST_MAX = 200;

/** The account's tokens whose key contains this text; README.md says how far it looks. */
export async function idsByKey(ctx: ServiceContext, owner: TokenOwner, text: string): Promise<number[]> {
  const { db } = ctx;
  const wanted = text.replace(/^sk-/, "");
  const whole = await db
    .select({ id: tokens.id })
    .from(tokens)
    .where(and(inArray(tokens.keyHash, [sha256Hex(wanted), importedKeyHash(sha256Hex(text))]), ownedBy(owner)));
  if (whole.length > 0) return whole.map(({ id }) => id);
  const ending = readKeys(db, and(ownedBy(owner), endsLike(wanted)), ALIKE_MAX);
  // Who may not see a key must not guess it piece by piece either: only what the list shows of it is compared.
  if (owner.isOther || !hasProofOfSession(ctx))
    return wanted.length > HINT_END ? [] : (await ending).map(({ id }) => id);
  const [alike, newest] = await Promise.all([ending, readKeys(db, ownedBy(owner), NEWEST_MAX)]);
  const rows = new Map([...alike, ...newest].map((row) => [row.id, row]));
  return [...rows.values()].filter((row) => contains(row, wanted)).map(({ id }) => id);
}

/** Of a key that is known by its hash alone, its end is all there is. */
function contains({ keyHint, keyCipher }: { keyHint: string; keyCipher: string }, wanted: string): boolean {
  return isHashOnly({ keyHint }) ? keyHint.slice(-HINT_END).includes(wanted) : unseal(keyCipher).includes(wanted);
}

function readKeys(db: Database, conditions: SQL | undefined, limit: number) {
  const fields = { id: tokens.id, keyCipher: tokens.keyCipher, keyHint: tokens.keyHint };
  return db.select(fields).from(tokens).where(conditions).orderBy(desc(tokens.id)).limit(limit);
}

/** Whether the key begins or ends as the text does, by what its hint shows. */
function endsLike(wanted: string): SQL {
  const length = Math.min(HINT_END, wanted.length);
  return sql`(left(${tokens.keyHint}, ${length}::int) = ${wanted.slice(0, length)}
    or right(${tokens.keyHint}, ${length}::int) = ${wanted.slice(-length)})`;
}
