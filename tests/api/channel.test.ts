import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test, vi } from "vitest";
import * as channelApi from "@/app/api/channel/[[...path]]/route";
import * as modelsApi from "@/app/api/models/[[...path]]/route";
import * as optionApi from "@/app/api/option/[[...path]]/route";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { auditEntries, channels } from "@/db/schema";
import { unseal } from "@/lib/crypto";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { serviceAccount } from "@/lib/testing/service-account";
import { call, setUpApi } from "./harness";

const upstream = vi.hoisted(() => ({ answer: vi.fn() }));
vi.mock("@/lib/relay/side/channel-tests/test-channel", () => ({ testChannel: upstream.answer }));

const api = setUpApi();
const base = { type: 1, name: "one", key: "sk-secret-a", models: "gpt-4o,o3", group: "default" };
const admin = async (line: string, body?: unknown) => (await call(channelApi, line, { as: api.admin, body })).json;
const all = () => api.database.db.select().from(channels).orderBy(channels.id);

async function make(fields: object = {}): Promise<number> {
  expect(await admin("POST /api/channel/", { ...base, ...fields })).toEqual({ success: true, message: "" });
  return (await all()).at(-1)?.id ?? 0;
}

beforeEach(async () => {
  await api.database.db.delete(channels);
  upstream.answer.mockReset().mockResolvedValue({ success: true, message: "", timeMs: 1234, status: 200 });
});

describe("POST /api/channel/ (B222)", () => {
  test("makes one channel for each line of the key; keys are sealed and never shown (B137)", async () => {
    await make({ key: "sk-a\n\n sk-b \nsk-a\n", base_url: "https://up.example/v1//", priority: 3, weight: 2 });
    const rows = await all();
    expect(rows.map(({ keyCipher }) => unseal(keyCipher))).toEqual(["sk-a", "sk-b"]);
    expect(rows[0]).toMatchObject({ baseUrl: "https://up.example", priority: 3, weight: 2, status: 1 });
    const answers = [await admin("GET /api/channel/"), await admin("GET /api/channel/?tag_mode=true")];
    const audit = await api.database.db.select().from(auditEntries);
    expect(JSON.stringify([answers, audit])).not.toMatch(/sk-a|sk-b|keyCipher|key_cipher/);
  });

  test("what is given is what is read, with what the system adds (B135, B136)", async () => {
    const given = {
      type: 8,
      name: "full",
      models: "m1,m2",
      group: "default,vip",
      base_url: "https://up.example/v1/{model}",
      other: "x",
      model_mapping: '{"a":"b"}',
      status_code_mapping: '{"400":"500"}',
      setting: '{"force_format":true}',
      openai_organization: "org-1",
      test_model: "m1",
      auto_ban: 0,
      tag: "t",
      priority: 4,
      weight: 3,
    };
    const id = await make(given);
    const otherInfo = { status_reason: "quota", status_time: 5 };
    const system = { responseTime: 700, balance: 1.5, usedQuota: 9, testTime: 11, balanceUpdatedTime: 12 };
    await api.database.db
      .update(channels)
      .set({ ...system, status: 3, otherInfo })
      .where(eq(channels.id, id));
    const { data } = await admin(`GET /api/channel/${id}`);
    expect(data).toMatchObject({
      ...given,
      id,
      key: "",
      status: 3,
      response_time: 700,
      balance: 1.5,
      used_quota: 9,
      test_time: 11,
      balance_updated_time: 12,
      created_time: expect.any(Number),
    });
    expect(JSON.parse(data.other_info)).toEqual(otherInfo);
  });

  test("the key of type 41 is one document and needs a region", async () => {
    const key = JSON.stringify(JSON.parse(serviceAccount()), null, 1);
    expect((await admin("POST /api/channel/", { ...base, type: 41, key })).success).toBe(false);
    expect((await admin("POST /api/channel/", { ...base, type: 41, key, other: '{"a":"b"}' })).success).toBe(false);
    await make({ type: 41, key, other: '{"default":"us-central1"}' });
    expect((await all()).map(({ keyCipher }) => unseal(keyCipher))).toEqual([key]);
  });

  test.each([
    [{ models: "x".repeat(256) }, "模型名称过长（最多 255 个字符）"],
    [{ models: "" }, "请至少选择一个模型"],
    [{ key: "\n" }, "请输入渠道密钥"],
    [{ key: undefined }, "请输入渠道密钥"],
    [{ name: "" }, "请输入渠道名称"],
    [{ type: undefined }, "请选择渠道类型"],
    [{ model_mapping: "{" }, "模型映射必须是合法的 JSON 格式！"],
    [{ model_mapping: '{"a":1}' }, "模型映射必须是合法的 JSON 格式！"],
    [{ status_code_mapping: '{"400":"9"}' }, "状态码复写必须是合法的 JSON 格式！"],
    [{ base_url: "ftp://x" }, "API地址格式错误"],
    [{ priority: -1000 }, "优先级必须是不小于 -999 的整数"],
    [{ weight: -1 }, "权重必须是不小于 0 的整数"],
  ])("refuses %j", async (fields, message) => {
    expect(await admin("POST /api/channel/", { ...base, ...fields })).toEqual({ success: false, message });
    expect(await all()).toEqual([]);
  });
});

describe("lists (B220, B221, contract §13.2)", () => {
  test("plain array, pages from 0, by priority, or by id", async () => {
    const ids: number[] = [];
    for (let i = 0; i < 12; i++) ids.push(await make({ name: `c${i}`, priority: i % 3 }));
    const list = async (query: string): Promise<{ id: number; priority: number }[]> =>
      (await admin(`GET /api/channel/?${query}`)).data;
    const first = await list("p=0&page_size=10&id_sort=false&tag_mode=false");
    expect(first.map(({ priority }) => priority)).toEqual([2, 2, 2, 2, 1, 1, 1, 1, 0, 0]);
    expect(await list("p=1&page_size=10")).toHaveLength(2);
    expect((await list("p=0&page_size=100&id_sort=true")).map(({ id }) => id)).toEqual([...ids].reverse());
    expect(await list("")).toHaveLength(10);
    expect(await list("page_size=5000")).toHaveLength(12);
  });

  test("search by id, name, base URL, whole key, model and group; what was typed is taken literally", async () => {
    const one = await make({ name: "a_b", base_url: "https://eu.example", group: "default,vip" });
    await make({ name: "axb", models: "claude-3" });
    const search = async (query: string): Promise<string[]> =>
      (await admin(`GET /api/channel/search?${query}`)).data.map(({ name }: { name: string }) => name);
    expect(await search(`keyword=${one}`)).toEqual(["a_b"]);
    expect(await search("keyword=a_b")).toEqual(["a_b"]);
    expect(await search("base_url=eu.example")).toEqual(["a_b"]);
    expect(await search("keyword=sk-secret-a")).toEqual(["axb", "a_b"]);
    expect(await search("keyword=sk-secret")).toEqual([]);
    expect(await search("model=claude")).toEqual(["axb"]);
    expect(await search("group=vip")).toEqual(["a_b"]);
    expect(await search("group=vi")).toEqual([]);
    expect(await search("keyword=")).toHaveLength(2);
  });

  test("tag mode returns all members of the tags of a page, then channels without a tag", async () => {
    await make({ name: "x", tag: "blue" });
    await make({ name: "y", tag: "blue" });
    await make({ name: "z", tag: "red" });
    const page = await admin("GET /api/channel/?tag_mode=true&page_size=1&p=0");
    expect(page.data.map(({ tag }: { tag: string }) => tag)).toEqual(["blue", "blue"]);
    await make({ name: "loose" });
    const names = async (query: string) =>
      (await admin(`GET /api/channel/?tag_mode=true&${query}`)).data.map(({ name }: { name: string }) => name);
    expect(await names("page_size=2&p=0")).toEqual(["y", "x", "z"]);
    expect(await names("page_size=2&p=1")).toEqual(["loose"]);
  });
});

describe("PUT /api/channel/ (B223)", () => {
  test("a partial change leaves the rest, zero is a value, the reply carries the status", async () => {
    const id = await make({ priority: 5, weight: 5 });
    const { data } = await admin("PUT /api/channel/", { id, status: 2, priority: 0 });
    expect(data).toMatchObject({ id, status: 2, priority: 0, weight: 5, name: "one", models: "gpt-4o,o3", key: "" });
  });

  test("a whole row sent back changes only what may be changed; an empty key stays", async () => {
    const id = await make();
    const otherInfo = { status_reason: "quota", status_time: 5 };
    await api.database.db.update(channels).set({ status: 3, otherInfo, usedQuota: 9 }).where(eq(channels.id, id));
    const { data: before } = await admin(`GET /api/channel/${id}`);
    const row = { ...before, name: "two", used_quota: 0, balance: 99, created_time: 1, response_time: 1, nonsense: {} };
    const { data: after } = await admin("PUT /api/channel/", row);
    expect(after).toEqual({ ...before, name: "two" });
    expect(unseal((await all())[0]?.keyCipher ?? "")).toBe("sk-secret-a");
  });

  test("switching on clears the reason; a new key replaces the old one, two at once are refused", async () => {
    const id = await make();
    const otherInfo = { status_reason: "quota", status_time: 5 };
    await api.database.db.update(channels).set({ status: 3, otherInfo }).where(eq(channels.id, id));
    expect((await admin("PUT /api/channel/", { id, status: 1 })).data.other_info).toBe("{}");
    expect((await admin("PUT /api/channel/", { id, key: "a\nb" })).success).toBe(false);
    await admin("PUT /api/channel/", { id, key: "sk-new" });
    expect(unseal((await all())[0]?.keyCipher ?? "")).toBe("sk-new");
  });

  test("only root may point a channel into the operator's own network", async () => {
    const base_url = "http://10.0.0.8:8000";
    const refused = { success: false, message: expect.stringContaining("10.0.0.8") };
    const fields = { type: 1, name: "inside", key: "k", models: "m", groups: ["default"] };
    const by = (as: typeof api.root, method: string, body: object) =>
      call(channelApi, `${method} /api/channel/`, { as, body });
    expect((await by(api.admin, "POST", { ...fields, base_url })).json).toMatchObject(refused);
    const id = await make({ base_url: "https://up.example" });
    expect((await by(api.admin, "PUT", { id, base_url })).json).toMatchObject(refused);
    expect((await by(api.root, "PUT", { id, base_url })).json).toMatchObject({ success: true });
    // An address that root has set does not stop an administrator from changing other fields.
    expect((await by(api.admin, "PUT", { id, base_url, name: "renamed" })).json).toMatchObject({ success: true });
  });

  test("groups in either field or in both are taken, two that differ are refused, for a channel and for a tag", async () => {
    const id = await make({ group: "default", tag: "of-groups" });
    const groupNow = async () => (await all()).find((row) => row.id === id)?.group;
    for (const given of [
      { group: "vip,default", groups: ["default", "vip"] },
      { group: "", groups: ["vip", "default"] },
    ]) {
      expect((await admin("PUT /api/channel/", { id, ...given })).success).toBe(true);
      expect((await groupNow())?.split(",").sort()).toEqual(["default", "vip"]);
    }
    const differing = { group: "default", groups: ["vip"] };
    const refused = { success: false, message: expect.stringContaining("groups") };
    expect(await admin("PUT /api/channel/", { id, ...differing })).toMatchObject(refused);
    expect(await admin("PUT /api/channel/tag", { tag: "of-groups", ...differing })).toMatchObject(refused);
    const fields = { type: 1, name: "differing", key: "k", models: "m" };
    expect(await admin("POST /api/channel/", { ...fields, ...differing })).toMatchObject(refused);
    expect((await groupNow())?.split(",").sort()).toEqual(["default", "vip"]);
  });

  test("an unknown id is refused", async () => {
    expect(await admin("PUT /api/channel/", { id: 424242, name: "x" })).toEqual({
      success: false,
      message: "渠道不存在",
    });
  });
});

describe("many at once (B224, B228, B232)", () => {
  test("delete one, some, all disabled: data is the count (B227)", async () => {
    const ids = [await make(), await make(), await make(), await make()];
    expect((await admin(`DELETE /api/channel/${ids[0]}/`)).success).toBe(true);
    expect((await admin(`DELETE /api/channel/${ids[0]}/`)).success).toBe(false);
    const kept = await make();
    expect((await admin("POST /api/channel/batch", { ids: [ids[1], 424242] })).data).toBe(1);
    expect((await all()).map(({ id }) => id)).toEqual([ids[2], ids[3], kept]);
    expect(await admin("POST /api/channel/batch", { ids: [ids[1]] })).toMatchObject({ success: true, data: 0 });
    expect((await admin(`DELETE /api/channel/${kept}`)).success).toBe(true);
    await api.database.db
      .update(channels)
      .set({ status: 3 })
      .where(eq(channels.id, ids[2] ?? 0));
    expect((await admin("DELETE /api/channel/disabled")).data).toBe(1);
    expect((await admin("POST /api/channel/fix")).data).toBe(1);
  });

  test("tags: give, change all members, switch off and on, dissolve (B070, B071, B139, B226)", async () => {
    const ids = [await make(), await make()];
    expect((await admin("POST /api/channel/batch/tag", { ids, tag: "t" })).data).toBe(2);
    const changes = { tag: "t", new_tag: "u", priority: 7, models: "m1", groups: "vip", model_mapping: "" };
    expect((await admin("PUT /api/channel/tag", changes)).success).toBe(true);
    expect((await all()).map((row) => [row.tag, row.priority, row.models, row.group, row.weight])).toEqual(
      Array(2).fill(["u", 7, "m1", "vip", 0]),
    );
    await admin("POST /api/channel/tag/disabled", { tag: "u" });
    expect((await all()).map(({ status }) => status)).toEqual([2, 2]);
    await admin("POST /api/channel/tag/enabled", { tag: "u" });
    expect((await all()).map(({ status }) => status)).toEqual([1, 1]);
    expect((await admin("POST /api/channel/tag/enabled", { tag: "gone" })).success).toBe(false);
    await admin("PUT /api/channel/tag", { tag: "u", new_tag: "" });
    expect((await all()).map(({ tag }) => tag)).toEqual([null, null]);
  });

  test("every field of a tag is written over all its members and nobody else; what is left out stays (B225)", async () => {
    const others = { models: "gpt-4o", group: "default", model_mapping: '{"a":"b"}', priority: 1, weight: 2 };
    await make({ ...others, tag: "t" });
    await make({ ...others, tag: "t", priority: 9 });
    await make({ ...others, tag: "other" });
    const rows = async () =>
      (await all()).map((row) => [row.tag, row.models, row.group, row.modelMapping, row.priority, row.weight]);
    const untouched = ["other", "gpt-4o", "default", '{"a":"b"}', 1, 2];
    const changes = { tag: "t", new_tag: "u", models: "m1,m2", groups: "vip", model_mapping: '{"m1":"m3"}' };
    expect(await admin("PUT /api/channel/tag", changes)).toEqual({ success: true, message: "" });
    expect(await rows()).toEqual([
      ["u", "m1,m2", "vip", '{"m1":"m3"}', 1, 2],
      ["u", "m1,m2", "vip", '{"m1":"m3"}', 9, 2],
      untouched,
    ]);
    await admin("PUT /api/channel/tag", { tag: "u", priority: 0 });
    await admin("PUT /api/channel/tag", { tag: "u", weight: 5 });
    expect(await rows()).toEqual([
      ["u", "m1,m2", "vip", '{"m1":"m3"}', 0, 5],
      ["u", "m1,m2", "vip", '{"m1":"m3"}', 0, 5],
      untouched,
    ]);
    for (const wrong of [{ priority: 1.5 }, { weight: -1 }, { model_mapping: "{" }]) {
      const { success, message } = await admin("PUT /api/channel/tag", { tag: "u", ...wrong });
      expect([success, message]).toEqual([false, expect.stringMatching(/\S/)]);
    }
    expect((await rows())[0]).toEqual(["u", "m1,m2", "vip", '{"m1":"m3"}', 0, 5]);
    expect((await admin("PUT /api/channel/tag", { tag: "nobody", weight: 5 })).success).toBe(false);
  });

  test("every change leaves an audit entry with who and where", async () => {
    await api.database.db.delete(auditEntries);
    const id = await make();
    await admin("PUT /api/channel/", { id, name: "renamed" });
    await admin(`DELETE /api/channel/${id}`);
    const entries = await api.database.db.select().from(auditEntries).orderBy(auditEntries.id);
    expect(entries.map(({ action, subject, actorId }) => [action, subject, actorId])).toEqual(
      ["create", "update", "delete"].map((verb) => [`channel.${verb}`, `channel:${id}`, api.admin.id]),
    );
  });
});

describe("tests (B229, B230, contract §4.10)", () => {
  test("one channel: the asked model, else its test model, else its first; time in seconds, stored in ms", async () => {
    const id = await make({ test_model: "o3" });
    expect(await admin(`GET /api/channel/test/${id}?model=gpt-4o`)).toEqual({
      success: true,
      message: "",
      time: 1.234,
    });
    await admin(`GET /api/channel/test/${id}`);
    await admin("PUT /api/channel/", { id, test_model: "" });
    await admin(`GET /api/channel/test/${id}`);
    expect(upstream.answer.mock.calls.map(([, model]) => model)).toEqual(["gpt-4o", "o3", "gpt-4o"]);
    expect(upstream.answer.mock.calls[0]?.[0]).toMatchObject({ id, key: "sk-secret-a", models: ["gpt-4o", "o3"] });
    expect((await all())[0]).toMatchObject({ responseTime: 1234 });
  });

  test("a failed test says why; drawing channels cannot be tested", async () => {
    upstream.answer.mockResolvedValue({ success: false, message: "no such model", timeMs: 10, status: 404 });
    expect(await admin(`GET /api/channel/test/${await make()}`)).toMatchObject({
      success: false,
      message: "no such model",
    });
    expect((await admin(`GET /api/channel/test/${await make({ type: 2 })}`)).message).toBe("该类型的渠道不支持测试");
  });

  test("all channels run in the background, one run at a time; fatal failures switch off where that is allowed", async () => {
    const option = (key: string, value: boolean) =>
      call(optionApi, "PUT /api/option/", { as: api.root, body: { key, value } });
    await option("AutomaticDisableChannelEnabled", true);
    await option("AutomaticEnableChannelEnabled", true);
    const [good, bad, back] = [await make(), await make(), await make()];
    await api.database.db.update(channels).set({ status: 3 }).where(eq(channels.id, back));
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    upstream.answer.mockImplementation(async ({ id }: { id: number }) => {
      await gate;
      return id === bad
        ? { success: false, message: "Incorrect API key", timeMs: 9, status: 401 }
        : { success: true, message: "", timeMs: 9, status: 200 };
    });
    expect(await admin("GET /api/channel/test")).toEqual({ success: true, message: "" });
    expect(await admin("GET /api/channel/test")).toEqual({ success: false, message: "已有测试正在进行" });
    release();
    await vi.waitFor(async () =>
      expect((await all()).map(({ id, status }) => [id, status])).toEqual([
        [good, 1],
        [bad, 3],
        [back, 1],
      ]),
    );
    await vi.waitFor(async () => expect((await admin("GET /api/channel/test")).success).toBe(true));
  });
});

describe("models (B233, contract §1.5)", () => {
  test("per type, all known, enabled ones, and those of the caller's groups", async () => {
    await make({ models: "m-open", group: "default" });
    await make({ models: "m-hidden", group: "inner" });
    await make({ models: "m-off", group: "default", status: 2 });
    const byType = (await call(modelsApi, "GET /api/models/", { as: api.alice })).json.data;
    expect(Object.keys(byType).map(Number)).toEqual(Object.values<number>(CHANNEL_TYPE).toSorted((a, b) => a - b));
    expect([byType["21"], byType["22"], byType["39"]]).toEqual([[], [], []]);
    expect(byType["14"]).toEqual(expect.arrayContaining([expect.stringMatching(/^claude-/)]));
    const known = (await admin("GET /api/channel/models")).data;
    expect(known).toEqual(expect.arrayContaining([expect.objectContaining({ id: "m-off", object: "model" })]));
    expect((await admin("GET /api/channel/models_enabled")).data).toEqual(["m-hidden", "m-open"]);
    expect((await call(userApi, "GET /api/user/models", { as: api.alice })).json.data).toEqual(["m-open"]);
  });
});
