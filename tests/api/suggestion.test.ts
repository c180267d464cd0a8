import { beforeAll, describe, expect, test } from "vitest";
import { channels, tokens, usageLogs } from "@/db/schema";
import type { ServiceContext } from "@/lib/context";
import { seal, sha256Hex } from "@/lib/crypto";
import { suggestValues } from "@/lib/suggestion/queries";
import type { Suggested } from "@/lib/suggestion/schemas";
import { type Person, setUpApi } from "./harness";

const api = setUpApi();
let root: ServiceContext;
let alice: ServiceContext;

const contextOf = ({ id, username }: Person, role: number): ServiceContext => ({
  ...api.database,
  actor: { type: "user", id, username, role, group: "default", via: "session" },
  clientIp: "",
});

const tokenOf = ({ id }: Person, name: string) => ({
  userId: id,
  name,
  keyHash: sha256Hex(name),
  keyCipher: seal(name),
  keyHint: "ab…yz",
  createdTime: 1,
});

beforeAll(async () => {
  root = contextOf(api.root, 100);
  alice = contextOf(api.alice, 1);
  const { db } = api.database;
  await db.insert(channels).values([
    { name: "suggested upstream", keyCipher: seal("k"), models: "served-model,other", group: "default" },
    { name: "secret upstream", keyCipher: seal("k"), models: "secret-model", group: "secret" },
  ]);
  await db
    .insert(tokens)
    .values([
      ...["mine one", "mine_two", "100%"].map((name) => tokenOf(api.alice, name)),
      tokenOf(api.bob, "bob mine"),
      ...Array.from({ length: 25 }, (_, at) => tokenOf(api.bob, `many ${at}`)),
    ]);
  await db.insert(usageLogs).values({
    requestId: "r",
    createdAt: Math.floor(Date.now() / 1000),
    type: 2,
    userId: api.bob.id,
    username: "bob",
    modelName: "logged-model",
    channelId: 1,
  });
});

const values = async (ctx: ServiceContext, of: Suggested, term = "") =>
  (await suggestValues(ctx, { of, term })).map(({ value }) => value);

describe("the filters of lists suggest what exists", () => {
  test("administrators find users, channels by id with their name, and everybody's API keys", async () => {
    expect(await values(root, "user", "ali")).toEqual(["alice"]);
    expect(await suggestValues(root, { of: "channel", term: "suggested" })).toEqual([
      { value: expect.stringMatching(/^\d+$/), hint: "suggested upstream" },
    ]);
    expect(await values(root, "token", "MINE")).toEqual(["bob mine", "mine one", "mine_two"]);
  });

  test("models are those in the log and those that channels serve; groups those of the settings", async () => {
    expect(await values(root, "model", "-model")).toEqual(["logged-model", "secret-model", "served-model"]);
    expect(await values(root, "group", "vip")).toContain("vip");
  });

  test("a term is a text and no pattern, and there are never more than twenty", async () => {
    expect(await values(root, "token", "_")).toEqual(["mine_two"]);
    expect(await values(root, "token", "%")).toEqual(["100%"]);
    expect(await values(root, "token", "many")).toHaveLength(20);
  });

  test("users get only their own API keys and what they may use (B207, B209)", async () => {
    expect(await values(alice, "token", "mine")).toEqual(["mine one", "mine_two"]);
    expect(await values(alice, "model")).toEqual(["other", "served-model"]);
    for (const of of ["user", "channel"] as const)
      await expect(suggestValues(alice, { of })).rejects.toMatchObject({ code: "forbidden" });
    const nobody = { ...alice, actor: { type: "anonymous" as const } };
    await expect(suggestValues(nobody, { of: "token" })).rejects.toMatchObject({ code: "unauthenticated" });
  });
});
