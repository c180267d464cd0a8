import { channels, ledgerEntries, options, tokens, users } from "@/db/schema";
import { randomAlphanumeric, seal, sha256Hex } from "@/lib/crypto";
import type { TestDatabase } from "@/lib/testing/database";

export type UserValues = Partial<typeof users.$inferInsert> & { balance?: number };
export type TokenValues = Partial<typeof tokens.$inferInsert>;
export type ChannelValues = Partial<typeof channels.$inferInsert> & { key?: string };
export type Token = { id: number; key: string };

/** The models that most tests use. */
export const MODELS = "fake-gpt,fake-slow,fake-tools,fake-429,fake-error-500,fake-error-400,fake-cut,fake-no-usage";

let names = 0;

/** Inserts rows as an operator would. A running gateway is notified as usual. */
export function createSeed({ db }: Pick<TestDatabase, "db">, upstreamUrl: string) {
  async function addUser({ balance = 1_000_000, ...columns }: UserValues = {}): Promise<number> {
    names += 1;
    const number = names;
    const rows = await db
      .insert(users)
      .values({ username: `user${number}`, affCode: `aff${number}`, quota: balance, ...columns })
      .returning({ id: users.id });
    const id = rows[0]?.id ?? 0;
    // What postLedgerEntry writes, in a third of its statements: nobody knows this user yet. Tests add thousands.
    if (balance !== 0)
      await db.insert(ledgerEntries).values({ userId: id, amount: balance, kind: "grant", reference: `test:${id}` });
    return id;
  }

  async function addToken(userId: number, values: TokenValues = {}): Promise<Token> {
    const key = randomAlphanumeric(48);
    const rows = await db
      .insert(tokens)
      .values({
        userId,
        keyHash: sha256Hex(key),
        keyCipher: seal(key),
        keyHint: `${key.slice(0, 4)}…${key.slice(-4)}`,
        name: "test",
        unlimitedQuota: true,
        ...values,
      })
      .returning({ id: tokens.id });
    return { id: rows[0]?.id ?? 0, key: `sk-${key}` };
  }

  /** Creates a new user with one token. */
  async function addCaller(
    values: UserValues = {},
    ofToken: TokenValues = {},
  ): Promise<{ user: number; token: Token }> {
    const user = await addUser(values);
    return { user, token: await addToken(user, ofToken) };
  }

  /** A channel to the fake upstream for all MODELS. */
  async function addChannel({ key = "good-key", ...values }: ChannelValues = {}): Promise<number> {
    names += 1;
    const rows = await db
      .insert(channels)
      .values({ name: `channel${names}`, keyCipher: seal(key), baseUrl: upstreamUrl, models: MODELS, ...values })
      .returning({ id: channels.id });
    return rows[0]?.id ?? 0;
  }

  async function setOption(key: string, value: unknown): Promise<void> {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    await db
      .insert(options)
      .values({ key, value: text })
      .onConflictDoUpdate({ target: options.key, set: { value: text } });
  }

  /** Sets one quota per prompt token and two per completion token for every given model. */
  async function setPrices(models = MODELS): Promise<void> {
    const list = models.split(",");
    await setOption("ModelRatio", Object.fromEntries(list.map((name) => [name, 1])));
    await setOption("CompletionRatio", Object.fromEntries(list.map((name) => [name, 2])));
  }

  return { addUser, addToken, addCaller, addChannel, setOption, setPrices };
}
