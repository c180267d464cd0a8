import { and, desc, eq, type SQL, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { tokens } from "@/db/schema";
import type { UserActor } from "@/lib/context";
import { sha256Hex, unseal } from "@/lib/crypto";
import { ownedBy } from "./owner-queries";

/** What a hint shows of each end of its key. */
const HINT_END = 4;
/** Keys that begin or end alike: with 62 characters to choose from, hardly two. */
const ALIKE_MAX = 200;
/** Of other keys, how many one search decrypts: a millisecond or two. */
const NEWEST_MAX = 200;

/** The user's tokens whose key contains this text; README.md says how far it looks. */
export async function idsByKey(db: Database, actor: UserActor, text: string): Promise<number[]> {
  const wanted = text.replace(/^sk-/, "");
  const whole = await db
    .select({ id: tokens.id })
    .from(tokens)
    .where(and(eq(tokens.keyHash, sha256Hex(wanted)), ownedBy(actor)));
  if (whole.length > 0) return whole.map(({ id }) => id);
  const [alike, newest] = await Promise.all([
    readKeys(db, and(ownedBy(actor), endsLike(wanted)), ALIKE_MAX),
    readKeys(db, ownedBy(actor), NEWEST_MAX),
  ]);
  const ciphers = new Map([...alike, ...newest].map(({ id, keyCipher }) => [id, keyCipher]));
  return [...ciphers].filter(([, cipher]) => unseal(cipher).includes(wanted)).map(([id]) => id);
}

function readKeys(db: Database, conditions: SQL | undefined, limit: number) {
  const fields = { id: tokens.id, keyCipher: tokens.keyCipher };
  return db.select(fields).from(tokens).where(conditions).orderBy(desc(tokens.id)).limit(limit);
}

/** Whether the key begins or ends as the text does, by what its hint shows. */
function endsLike(wanted: string): SQL {
  const length = Math.min(HINT_END, wanted.length);
  return sql`(left(${tokens.keyHint}, ${length}::int) = ${wanted.slice(0, length)}
    or right(${tokens.keyHint}, ${length}::int) = ${wanted.slice(-length)})`;
}
