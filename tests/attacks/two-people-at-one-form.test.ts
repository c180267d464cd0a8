/**
 * Who: nobody in particular: two people, or one person with two tabs, at one form of the console.
 * With what: every form of lib/testing/console-forms.ts. What must hold: a form saves what was changed in it and nothing else; where
 * somebody else has changed the same field since it was shown, nothing is saved and both values are told; amounts change by the
 * difference to what was shown, so that no unit appears or goes.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { passkeys, savedViews, users } from "@/db/schema";
import { saveAlert } from "@/lib/alert/commands";
import { listAlerts } from "@/lib/alert/queries";
import { renamePasskey } from "@/lib/auth/passkey-commands";
import { createChannels, updateChannel } from "@/lib/channel/commands";
import { setKeyMode } from "@/lib/channel/key-commands";
import { getChannel } from "@/lib/channel/queries";
import { tagChannels, updateTag } from "@/lib/channel/tag-commands";
import { getTag, listTagRows } from "@/lib/channel/tag-queries";
import type { ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { getPreferences, listTargets } from "@/lib/notify/queries";
import { savePreferences, saveTarget } from "@/lib/notify/target-commands";
import { revertOption, saveOptions } from "@/lib/option/commands";
import { listOptionVersions, listOptionViews } from "@/lib/option/queries";
import { applyRouting } from "@/lib/pricing/routing/commands";
import { createRedemptions, updateRedemption } from "@/lib/redemption/commands";
import { getRedemption, listRedemptions } from "@/lib/redemption/queries";
import { renameView } from "@/lib/saved-view/commands";
import { listViews } from "@/lib/saved-view/queries";
import type { Seen } from "@/lib/seen";
import { saveIncident } from "@/lib/status-page/commands";
import { getStatusPage } from "@/lib/status-page/queries";
import { CONSOLE_FORMS, type ConsoleForm } from "@/lib/testing/console-forms";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { createToken, updateToken } from "@/lib/token/commands";
import { getToken } from "@/lib/token/queries";
import { updateUser } from "@/lib/user/commands";
import { getSelf, getUser } from "@/lib/user/queries";
import { updateSelf } from "@/lib/user/self-commands";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

type Values = Record<string, unknown>;
/** A form without its screen: `read` is what the page shows, `save` what the action does with the input. */
type Work = { read: () => Promise<Values>; save: (given: Values, seen: Seen) => Promise<unknown> };

let serial = 0;

async function makeUser(): Promise<number> {
  serial += 1;
  const [row] = await database.db
    .insert(users)
    .values({ username: `u${serial}`, displayName: "Before", quota: 10_000 })
    .returning({ id: users.id });
  return row?.id ?? 0;
}

const as = (id: number, role: number): ServiceContext => ({
  ...database,
  actor: { type: "user", id, username: `u${id}`, role, group: "default", via: "access-token" },
  clientIp: "",
});
const asRoot = () => as(1_000_000, 100);

async function makeChannel(): Promise<number> {
  serial += 1;
  const input = { type: 1, key: `sk-${serial}`, name: "before", models: "m", setting: '{"a":1}' };
  const [row] = await createChannels(asRoot(), input);
  return row?.id ?? 0;
}

async function makeTag(): Promise<string> {
  const ids = [await makeChannel(), await makeChannel()];
  const tag = `tag-${serial}`;
  await tagChannels(asRoot(), ids, tag);
  return tag;
}

/** The commands type each field; the list of forms has them by name. */
const input = (values: Values) => values as never;

const options = (): Work => ({
  read: async () => Object.fromEntries((await listOptionViews(asRoot())).map(({ key, value }) => [key, value])),
  save: async (given, seen) => {
    const changes = Object.entries(given).map(([key, value]) => ({
      key,
      value: String(value),
      base: seen[key] as string,
    }));
    const [failed] = (await saveOptions(asRoot(), changes)).filter(({ error }) => error);
    if (failed?.error) throw failed.error;
  },
});

const channelForm = async (): Promise<Work> => {
  const id = await makeChannel();
  return {
    read: async () => getChannel(asRoot(), id),
    save: (given, seen) => updateChannel(asRoot(), input({ ...given, id, seen })),
  };
};

const WORK: Record<string, () => Promise<Work>> = {
  token: async () => {
    const own = as(await makeUser(), 1);
    const { token } = await createToken(own, { name: "before", remainQuota: 5_000 });
    const { id } = token;
    return {
      read: async () => getToken(own, id),
      save: (given, seen) => updateToken(own, input({ ...given, id, seen })),
    };
  },
  channel: channelForm,
  "channel's cell": channelForm,
  tag: async () => {
    const tag = await makeTag();
    return {
      read: async () => ({ ...(await getTag(asRoot(), tag)) }),
      save: (given, seen) => updateTag(asRoot(), input({ ...given, tag, seen })),
    };
  },
  "tag's cell": async () => {
    const tag = await makeTag();
    return {
      read: async () => {
        const { items } = await listTagRows(asRoot(), { tags: [tag] });
        const [row] = items;
        return row?.kind === "tag" ? row.summary : {};
      },
      save: (given, seen) => updateTag(asRoot(), input({ ...given, tag, seen })),
    };
  },
  user: async () => {
    const id = await makeUser();
    return {
      read: async () => getUser(asRoot(), id),
      save: (given, seen) => updateUser(asRoot(), input({ ...given, id, seen })),
    };
  },
  "own account": async () => {
    // Names are unique.
    await database.sql`update users set username = 'was' || id where username in ('oneself', 'otherself')`;
    const own = as(await makeUser(), 1);
    return { read: async () => getSelf(own), save: (given, seen) => updateSelf(own, input({ ...given, seen })) };
  },
  "redemption code": async () => {
    await createRedemptions(asRoot(), { name: "before", quota: 500, count: 1 });
    const id = (await listRedemptions(asRoot())).items[0]?.id ?? 0;
    return {
      read: async () => getRedemption(asRoot(), id),
      save: (given, seen) => updateRedemption(asRoot(), input({ ...given, id, seen })),
    };
  },
  alert: async () => {
    const own = as(await makeUser(), 1);
    const id = await saveAlert(own, { scope: "own", metric: "spend", subject: "account", threshold: 5 });
    return {
      read: async () => ({ ...(await listAlerts(own)).find((rule) => rule.id === id) }),
      save: (given, seen) => saveAlert(own, input({ ...given, id, seen })),
    };
  },
  incident: async () => {
    const startedAt = Math.floor(Date.now() / 1_000) - 60;
    const texts = { titleEn: "Before", titleZh: "", textEn: "", textZh: "" };
    const id = await saveIncident(asRoot(), {
      ...texts,
      id: null,
      state: "investigating",
      startedAt,
      resolvedAt: null,
    });
    return {
      read: async () => ({ ...(await getStatusPage(asRoot(), true)).incidents.find((one) => one.id === id) }),
      save: (given, seen) => saveIncident(asRoot(), input({ ...given, id, seen })),
    };
  },
  "notification target": async () => {
    const own = as(await makeUser(), 1);
    const config = { url: "https://before.example/hook", secret: "a-secret-of-mine" };
    const { id } = await saveTarget(own, { kind: "webhook", name: "before", config, events: [] });
    return {
      read: async () => {
        const target = (await listTargets(own, () => "")).find((one) => one.id === id);
        return { ...target, "config.url": target?.config.url };
      },
      save: (given, seen) => {
        const { "config.url": url, ...others } = given;
        return saveTarget(own, input({ ...others, ...(url === undefined ? {} : { config: { url } }), id, seen }));
      },
    };
  },
  preferences: async () => {
    const own = as(await makeUser(), 1);
    return {
      read: async () => getPreferences(own),
      save: (given, seen) => savePreferences(own, input({ ...given, seen })),
    };
  },
  passkey: async () => {
    const userId = await makeUser();
    const id = `passkey-${userId}`;
    await database.db.insert(passkeys).values({ id, userId, name: "before", publicKey: "" });
    return {
      read: async () => {
        const rows = await database.sql`select name from passkeys where id = ${id}`;
        return { name: rows[0]?.name };
      },
      save: ({ name }, seen) => renamePasskey(as(userId, 1), { id, name: String(name), seen }),
    };
  },
  view: async () => {
    const userId = await makeUser();
    const values = { userId, page: "token", name: "before", query: "status=1" } as const;
    const [row] = await database.db.insert(savedViews).values(values).returning({ id: savedViews.id });
    const id = row?.id ?? 0;
    return {
      read: async () => ({ ...(await listViews(as(userId, 1), "token")).find((view) => view.id === id) }),
      save: ({ name }, seen) => renameView(as(userId, 1), { id, name: String(name), seen }),
    };
  },
  "channel routing": async () => {
    const id = await makeChannel();
    const read = async () => {
      const { priority, weight } = await getChannel(asRoot(), id);
      return { priority, weight, isEnabled: true };
    };
    return {
      read,
      save: async (given, seen) => {
        const shown = { priority: 0, weight: 0, isEnabled: true, ...seen };
        try {
          await applyRouting(asRoot(), { channels: [input({ ...shown, ...given, id, seen: shown })] });
        } catch (error) {
          // The row's id is a part of the name, because the form has many rows.
          if (error instanceof AppError)
            error.clashes = error.clashes?.map((clash) => ({ ...clash, field: clash.field.split(".")[1] ?? "" })) ?? [];
          throw error;
        }
      },
    };
  },
  option: async () => options(),
  "price row": async () => options(),
  "group ratios": async () => options(),
};

async function open(form: ConsoleForm): Promise<Work> {
  const make = WORK[form.name];
  if (!make) throw new Error(`no command for the form ${form.name}`);
  const work = await make();
  // Options are the same rows for every test.
  if (make === WORK.option || form.action.endsWith("saveOptions"))
    await saveOptions(
      asRoot(),
      form.fields.map(({ name }) => ({ key: name, value: null })),
    );
  return work;
}

const pick = (row: Values, names: readonly string[]): Values =>
  Object.fromEntries(names.map((name) => [name, row[name] ?? null]));

async function refusal(work: Promise<unknown>): Promise<AppError> {
  const error = await work.then(
    () => null,
    (thrown) => thrown,
  );
  if (!(error instanceof AppError)) throw error ?? new Error("was saved");
  return error;
}

test("every form of the list is tried here (B326)", () => {
  expect(Object.keys(WORK).toSorted()).toEqual(CONSOLE_FORMS.map(({ name }) => name).toSorted());
});

describe.each(CONSOLE_FORMS)("$name", (form) => {
  const names = form.fields.map(({ name }) => name);

  test("what somebody else saved in another field stays, and so does mine", async () => {
    for (const field of form.fields) {
      const work = await open(form);
      const shown = await work.read();
      const others = form.fields.filter((other) => other !== field);
      for (const other of others) await work.save({ [other.name]: other.values[1] }, pick(shown, [other.name]));
      await work.save({ [field.name]: field.values[0] }, pick(shown, [field.name]));
      const expected = form.fields.map((one) => [one.name, one.values[one === field ? 0 : 1]]);
      expect(pick(await work.read(), names)).toEqual(Object.fromEntries(expected));
    }
  });

  test("the same field is refused with both values, and nothing of the form is saved", async () => {
    for (const field of form.fields) {
      const work = await open(form);
      const shown = await work.read();
      await work.save({ [field.name]: field.values[1] }, pick(shown, [field.name]));
      const saved = pick(await work.read(), names);
      const mine = Object.fromEntries(
        // Options are saved one by one.
        form.fields
          .filter((one) => one === field || !form.action.endsWith("saveOptions"))
          .map((one) => [one.name, one.values[0]]),
      );
      const error = await refusal(work.save(mine, pick(shown, Object.keys(mine))));
      expect(error).toMatchObject({
        code: "conflict",
        clashes: [{ field: field.name, seen: shown[field.name] ?? null, stored: field.values[1] }],
      });
      expect(pick(await work.read(), names)).toEqual(saved);
    }
  });

  test("the same form sent twice is saved once, and a choice made from both values is saved", async () => {
    for (const field of form.fields) {
      const work = await open(form);
      const shown = await work.read();
      const mine = { [field.name]: field.values[0] };
      await work.save(mine, pick(shown, [field.name]));
      await work.save(mine, pick(shown, [field.name]));
      await work.save({ [field.name]: field.values[1] }, { [field.name]: field.values[0] });
      expect(pick(await work.read(), [field.name])).toEqual({ [field.name]: field.values[1] });
    }
  });

  if (form.amount !== undefined) {
    const amount = form.amount;
    test("what is spent between showing and saving neither comes back nor goes twice", async () => {
      const work = await open(form);
      const shown = await work.read();
      const before = Number(shown[amount]);
      const id = Number(shown.id);
      if (amount === "quota") await updateUser(asRoot(), { id, quota: before - 1_248, seen: { quota: before } });
      else
        await database.sql`update tokens set remain_quota = remain_quota - 1248, used_quota = used_quota + 1248 where id = ${id}`;
      const [field] = form.fields;
      await work.save({ [field?.name ?? ""]: field?.values[0] }, pick(shown, [field?.name ?? ""]));
      expect((await work.read())[amount]).toBe(before - 1_248);
      // Two people add an amount to what each was shown.
      await work.save({ [amount]: before + 500 }, pick(shown, [amount]));
      await work.save({ [amount]: before + 300 }, pick(shown, [amount]));
      expect((await work.read())[amount]).toBe(before - 1_248 + 800);
    });
  }
});

test("entries of a channel's setting that two people change are brought together; one that both change is refused", async () => {
  const id = await makeChannel();
  const { setting } = await getChannel(asRoot(), id);
  await updateChannel(asRoot(), { id, setting: '{"a":1,"b":2}', seen: { setting } });
  await setKeyMode(asRoot(), id, "random");
  await updateChannel(asRoot(), { id, setting: '{"c":3}', seen: { setting } });
  expect(JSON.parse((await getChannel(asRoot(), id)).setting)).toEqual({ b: 2, c: 3, multi_key_mode: "random" });
  const error = await refusal(updateChannel(asRoot(), { id, setting: '{"a":1,"b":9}', seen: { setting } }));
  expect(error.clashes?.map(({ field }) => field)).toEqual(["setting"]);
});

test("prices of two models that two people change are both kept; the price of one model is refused", async () => {
  await saveOptions(asRoot(), [{ key: "ModelPrice", value: '{"one":1,"two":1}' }]);
  const base = '{"one":1,"two":1}';
  const set = async (value: string) => (await saveOptions(asRoot(), [{ key: "ModelPrice", value, base }]))[0];
  expect(await set('{"one":2,"two":1}')).toMatchObject({ error: null, text: '{"one":2,"two":1}' });
  expect(await set('{"one":1,"two":5}')).toMatchObject({ error: null, text: '{"one":2,"two":5}' });
  expect((await set('{"one":3,"two":1}'))?.error).toMatchObject({ code: "conflict", messageKey: "optionChanged" });
  const { value } = (await listOptionViews(asRoot())).find(({ key }) => key === "ModelPrice") ?? { value: "" };
  expect(JSON.parse(value)).toEqual({ one: 2, two: 5 });
});

test("an option's version is not restored over a change that the history did not show (B326)", async () => {
  const key = "general_setting.docs_link";
  for (const name of ["one", "two"]) await saveOptions(asRoot(), [{ key, value: `https://${name}.example` }]);
  const [two, one] = (await listOptionVersions(asRoot(), key)).items;
  await saveOptions(asRoot(), [{ key, value: "https://three.example" }]);
  const error = await refusal(revertOption(asRoot(), one?.id ?? 0, two?.id));
  expect(error).toMatchObject({ code: "conflict", messageKey: "optionHistoryOld" });
  expect(Object.fromEntries((await listOptionViews(asRoot())).map((view) => [view.key, view.value]))[key]).toBe(
    "https://three.example",
  );
});
