import { describe, expect, test } from "vitest";
import * as logApi from "@/app/api/log/[[...path]]/route";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { reconcile } from "@/lib/billing/reconcile";
import { fromElsewhere, setOptions } from "./account-harness";
import { call, createPerson, PASSWORD, type Person, setUpApi, signInAs } from "./harness";

const api = setUpApi();
let count = 0;

const person = (role = 1) => createPerson(api.database, `m${++count}`, role);
const list = async (as: Person, query = "") => (await call(userApi, `GET /api/user/${query}`, { as })).json;
const read = (as: Person, id: number) => call(userApi, `GET /api/user/${id}`, { as });
const create = (as: Person, body: object) => call(userApi, "POST /api/user/", { as, body });
const update = (as: Person, body: object) => call(userApi, "PUT /api/user/", { as, body });
const manage = (as: Person, id: number, action: string) =>
  call(userApi, "POST /api/user/manage", { as, body: { id, action } });
const erase = (as: Person, id: number) => call(userApi, `DELETE /api/user/${id}`, { as });
const login = (username: string, password: string) =>
  call(userApi, "POST /api/user/login", { body: { username, password }, headers: fromElsewhere() });
const rowOf = async (id: number) => (await api.database.sql`select * from users where id = ${id}`)[0];
const denied = ({ status, json }: { status: number; json: { success: boolean; message: string } }) => {
  expect([status, json.success]).toEqual([200, false]);
  return json.message;
};

describe("the list of users (A170)", () => {
  test("page 0 and page 1 are both the first page, newest first, ten rows unless asked otherwise (A215)", async () => {
    for (let i = 0; i < 12; i++) await person();
    const [zero, one, two] = [
      await list(api.admin, "?p=0"),
      await list(api.admin, "?p=1"),
      await list(api.admin, "?p=2"),
    ];
    expect(zero).toEqual(one);
    expect(Object.keys(one.data).sort()).toEqual(["items", "page", "page_size", "total"]);
    expect([one.data.page, one.data.page_size, one.data.items.length, two.data.page]).toEqual([1, 10, 10, 2]);
    const ids: number[] = one.data.items.map(({ id }: { id: number }) => id);
    expect(ids).toEqual(ids.toSorted((a, b) => b - a));
    expect(two.data.items[0].id).toBeLessThan(ids.at(-1) ?? 0);
    for (const size of [10, 20, 50, 100]) {
      expect((await list(api.admin, `?p=0&page_size=${size}`)).data.page_size).toBe(size);
    }
    expect((await list(api.admin, "?p=-3&page_size=-1")).data).toMatchObject({ page: 1, page_size: 10 });
    expect((await list(api.admin, "?p=x&page_size=1000000")).data).toMatchObject({ page: 1, page_size: 100 });
  });

  test("rows have the required fields and never a password, hash or token (A091, A092)", async () => {
    const { items } = (await list(api.root, "?p=0&page_size=100")).data;
    const fields =
      "id username display_name group quota used_quota request_count role status DeletedAt inviter_id aff_count aff_quota aff_history_quota github_id wechat_id telegram_id linux_do_id email";
    for (const item of items) {
      expect(Object.keys(item)).toEqual(expect.arrayContaining(fields.split(" ")));
      expect(item.password).toBe("");
    }
    expect(JSON.stringify(items)).not.toMatch(/scrypt|password_hash|access_token|session_version/);
  });

  test("deregistered accounts stay in it (A120)", async () => {
    const user = await person();
    expect((await manage(api.admin, user.id, "delete")).json.data).toMatchObject({ status: 1, role: 1 });
    const found = (await list(api.admin, `search?keyword=${user.id}`)).data.items;
    expect(found.find(({ id }: { id: number }) => id === user.id).DeletedAt).toMatch(/^\d{4}-\d\d-\d\dT/);
    expect(denied(await read(api.root, user.id))).toBe("用户不存在");
  });

  test("is searched by id, name, display name and address, and by group; text is text (A171)", async () => {
    const user = await person();
    await api.database.sql`update users set display_name = '百分之%_x', "group" = 'svip' where id = ${user.id}`;
    const search = async (keyword: string, group = "") => {
      const query = new URLSearchParams({ keyword, group, p: "0" });
      const { items } = (await list(api.admin, `search?${query}`)).data;
      return items.map(({ id }: { id: number }) => id);
    };
    for (const keyword of [String(user.id), user.username, "分之%_X", `${user.username}@weir`]) {
      expect(await search(keyword), keyword).toContain(user.id);
    }
    expect(await search("", "svip")).toEqual([user.id]);
    expect(await search(user.username, "vip")).toEqual([]);
    expect(await search("%")).toEqual([user.id]);
    expect(await search("'; drop table users; --")).toEqual([]);
  });

  test("peers and superiors are listed, but what is private of them is for root alone (B213)", async () => {
    const peer = await person(10);
    await api.database.sql`update users set github_id = 'gh-1' where id = ${peer.id}`;
    const seen = async (as: Person) =>
      (await list(as, `search?keyword=${peer.username}`)).data.items.find(({ id }: { id: number }) => id === peer.id);
    expect(await seen(api.admin)).toMatchObject({ username: peer.username, role: 10, email: "", github_id: "" });
    expect(await seen(api.root)).toMatchObject({ email: `${peer.username}@weir.example`, github_id: "gh-1" });
    const byAddress = await list(api.admin, `search?keyword=${peer.username}@weir.example`);
    expect(byAddress.data.items).toEqual([]);
  });

  test("is for administrators (A166, B205, B216)", async () => {
    for (const path of ["GET /api/user/", "GET /api/user/search", `GET /api/user/${api.bob.id}`]) {
      expect(denied(await call(userApi, path, { as: api.alice }))).toBe("无权进行此操作，权限不足");
      expect((await call(userApi, path)).status).toBe(401);
    }
  });
});

describe("adding a user (A174, A135)", () => {
  test("makes an ordinary account under its own name, with the gift for new users", async () => {
    await setOptions(api.database, { QuotaForNewUser: 5_000 });
    const username = `m${++count}`;
    expect((await create(api.admin, { username, display_name: "", password: PASSWORD })).json.success).toBe(true);
    await setOptions(api.database, { QuotaForNewUser: 0 });
    const { data } = await list(api.admin, `search?keyword=${username}`);
    expect(data.items[0]).toMatchObject({ username, display_name: username, role: 1, quota: 5_000 });
    expect((await login(username, PASSWORD)).json.success).toBe(true);
  });

  test("name and password are needed", async () => {
    for (const body of [{}, { username: "x1" }, { password: PASSWORD }, { username: " ", password: PASSWORD }]) {
      expect(denied(await create(api.admin, body))).toBe("用户名和密码不能为空！");
    }
  });

  test("nobody makes an account of their own level or above; of what else is sent nothing counts", async () => {
    expect(denied(await create(api.admin, { username: "up1", password: PASSWORD, role: 10 }))).toBe(
      "无法创建等级与自己相同或更高的用户",
    );
    const body = {
      username: "up2",
      password: PASSWORD,
      role: 1,
      id: 1,
      email: "x@weir.example",
    };
    expect((await create(api.admin, body)).json.success).toBe(true);
    const [row] = await api.database.sql`select role, quota, "group", email from users where username = 'up2'`;
    expect(row).toEqual({ role: 1, quota: 0, group: "default", email: null });
  });

  test("a taken name is refused", async () => {
    expect(denied(await create(api.admin, { username: "ALICE", password: PASSWORD }))).toBe("用户名已被使用");
  });
});

describe("changing a user (A175, A141, A142)", () => {
  test("a whole row sent back changes names, group and balance, and nothing else of it", async () => {
    const user = await person();
    const row = (await read(api.admin, user.id)).json.data;
    const body = {
      ...row,
      username: `${user.username}x`,
      display_name: "Mia",
      group: "vip",
      quota: 70,
      password: "",
      status: 2,
      email: "thief@weir.example",
      github_id: "g",
      aff_quota: 9,
      aff_count: 9,
      used_quota: 9,
      request_count: 9,
      inviter_id: 1,
      unknown: { a: 1 },
    };
    const answer = await update(api.admin, body);
    expect(answer.json.success).toBe(true);
    expect((await read(api.admin, user.id)).json.data).toEqual({
      ...row,
      username: `${user.username}x`,
      display_name: "Mia",
      group: "vip",
      quota: 70,
    });
    expect((await login(`${user.username}x`, PASSWORD)).json.success).toBe(true);
  });

  test("a changed balance is booked as an adjustment and logged as management, in the owner's log too (B324)", async () => {
    const user = await person();
    await update(api.admin, { id: user.id, quota: 1_000 });
    await update(api.admin, { id: user.id, quota: 400 });
    await update(api.admin, { id: user.id, quota: 400 });
    const entries = await api.database.sql`
      select amount, kind, actor_id from ledger_entries where user_id = ${user.id} order by id`;
    expect(entries).toEqual([
      { amount: 1_000, kind: "adjustment", actor_id: api.admin.id },
      { amount: -600, kind: "adjustment", actor_id: api.admin.id },
    ]);
    const { items } = (await call(logApi, "GET /api/log/self?type=3", { as: user })).json.data;
    expect(items.map(({ content }: { content: string }) => content)).toEqual([
      "管理员将用户额度从 1000 修改为 400",
      "管理员将用户额度从 0 修改为 1000",
    ]);
    const { differences } = await reconcile(api.database.sql);
    expect(differences.filter(({ id }) => id === user.id)).toEqual([]);
  });

  test.each([-1, 12.7, "12", 1e300, null])("a balance that cannot be is refused: %s (A142)", async (quota) => {
    const user = await person();
    expect(denied(await update(api.admin, { id: user.id, quota }))).toBe("用户额度必须是不小于 0 的整数");
    expect((await rowOf(user.id))?.quota).toBe(0);
  });

  test("an overdrawn balance sent back as it is does not stand in the way of other changes", async () => {
    const user = await person();
    await api.database.sql`update users set quota = -5 where id = ${user.id}`;
    const answer = await update(api.admin, { id: user.id, quota: -5, display_name: "Still" });
    expect(answer.json.success).toBe(true);
    expect(await rowOf(user.id)).toMatchObject({ quota: -5, display_name: "Still" });
    await api.database.sql`update users set quota = 0 where id = ${user.id}`;
  });

  test("a new password ends the sessions and signs in; an empty one leaves it (A141)", async () => {
    const user = await person();
    await update(api.admin, { id: user.id, password: "" });
    expect((await call(userApi, "GET /api/user/self", { as: user })).json.success).toBe(true);
    await update(api.admin, { id: user.id, password: "another-one" });
    expect((await call(userApi, "GET /api/user/self", { as: user })).status).toBe(401);
    expect((await login(user.username, "another-one")).json.success).toBe(true);
    expect(denied(await update(api.admin, { id: user.id, password: "short" }))).toBe(
      "密码长度必须在 8 到 20 个字符之间",
    );
  });

  test("an unknown group, a taken name and an unknown user are refused, and nothing is changed", async () => {
    const user = await person();
    const before = await rowOf(user.id);
    expect(denied(await update(api.admin, { id: user.id, display_name: "No", group: "nowhere" }))).toBe(
      "分组不存在或无权使用",
    );
    expect(denied(await update(api.admin, { id: user.id, display_name: "No", username: "Alice" }))).toBe(
      "用户名已被使用",
    );
    expect(denied(await update(api.admin, { id: 2_000_000_000, username: "nobody" }))).toBe("用户不存在");
    expect(denied(await update(api.admin, { username: "nobody" }))).toBe("用户 ID 无效");
    expect(await rowOf(user.id)).toEqual(before);
  });

  test("a name given by the system may be longer than those that people choose, and stays", async () => {
    const user = await person();
    const long = `linuxdo_${"9".repeat(8)}${user.id}`;
    await api.database.sql`update users set username = ${long} where id = ${user.id}`;
    expect((await update(api.admin, { id: user.id, username: long, display_name: "L" })).json.success).toBe(true);
    expect(await rowOf(user.id)).toMatchObject({ username: long, display_name: "L" });
  });

  test("a personal concurrency limit can be set", async () => {
    const user = await person();
    expect((await update(api.admin, { id: user.id, concurrency_limit: 3 })).json.data.concurrency_limit).toBe(3);
    expect(denied(await update(api.admin, { id: user.id, concurrency_limit: -1 }))).toContain("并发上限");
  });

  test("limits and budgets of an account can be set, and each change is audited", async () => {
    const user = await person();
    const limits = {
      requests_per_minute: 60,
      tokens_per_minute: 100_000,
      budget_day: 7,
      budget_week: 30,
      budget_month: 90,
    };
    expect((await update(api.admin, { id: user.id, ...limits })).json.data).toMatchObject(limits);
    const [audit] = await api.database.sql<{ after: unknown }[]>`
      select after from audit_entries where subject = ${`user:${user.id}`} and action = 'user.update'
      order by id desc limit 1`;
    expect(audit?.after).toMatchObject({ requestsPerMinute: 60, budgetWeek: 30 });
    expect(denied(await update(api.admin, { id: user.id, budget_day: -1 }))).toContain("预算");
    expect(denied(await update(api.admin, { id: user.id, requests_per_minute: 0.5 }))).toContain("限制");
    expect((await update(api.admin, { id: user.id, display_name: "N" })).json.data).toMatchObject(limits);
  });

  test("every change is in the audit log with who, what and from where, and without secrets", async () => {
    const user = await person();
    await call(userApi, "PUT /api/user/", {
      as: api.admin,
      body: { id: user.id, display_name: "Seen", quota: 5, password: "swordfish-1" },
      headers: { "x-forwarded-for": "203.0.113.77" },
    });
    const rows = await api.database.sql`
      select actor_id, action, before, after, client_ip from audit_entries
      where subject = ${`user:${user.id}`} and action = 'user.update'`;
    expect(rows).toEqual([
      {
        actor_id: api.admin.id,
        action: "user.update",
        before: { displayName: user.username, quota: 0 },
        after: { displayName: "Seen", quota: 5, password: "changed" },
        client_ip: "203.0.113.77",
      },
    ]);
    expect(JSON.stringify(await api.database.sql`select * from audit_entries`)).not.toContain("swordfish-1");
  });
});

describe("levels (A115, B172, B213, B214, B215, B281)", () => {
  test("an administrator neither reads, updates, manages nor deletes a peer, root or itself", async () => {
    const peer = await person(10);
    for (const id of [peer.id, api.root.id, api.admin.id]) {
      const before = await rowOf(id);
      expect(denied(await read(api.admin, id))).toBe("无权查看同级或更高等级用户的信息");
      expect(denied(await update(api.admin, { id, display_name: "No" }))).toBe("无权更新同级或更高等级用户的信息");
      expect(denied(await manage(api.admin, id, "disable"))).toBe("无权操作同级或更高等级的用户");
      const message = id === api.root.id ? "无法删除超级管理员" : "无权删除同级或更高等级的用户";
      expect(denied(await erase(api.admin, id))).toBe(message);
      expect(await rowOf(id)).toEqual(before);
    }
  });

  test("root reads, updates and manages everybody below, and itself as far as it goes (A172)", async () => {
    const admin = await person(10);
    expect((await read(api.root, admin.id)).json.data.email).toBe(`${admin.username}@weir.example`);
    expect((await read(api.root, api.root.id)).json.success).toBe(true);
    expect((await update(api.root, { id: admin.id, display_name: "Yes" })).json.success).toBe(true);
    expect((await update(api.root, { id: api.root.id, display_name: "Root" })).json.success).toBe(true);
    expect((await manage(api.root, admin.id, "disable")).json.data).toMatchObject({ role: 10, status: 2 });
  });

  test("a level cannot be raised by an update, by nobody, and asking for one's own or more is refused", async () => {
    const user = await person();
    for (const role of [10, 100]) {
      expect(denied(await update(api.admin, { id: user.id, role, display_name: "No" }))).toBe(
        "无权将用户的等级提升到与自己相同或更高",
      );
    }
    await update(api.admin, { id: user.id, role: 5 });
    await update(api.root, { id: user.id, role: 100 });
    expect(await rowOf(user.id)).toMatchObject({ role: 1, display_name: user.username });
  });

  test("all five actions, each with status and role in the reply (A178)", async () => {
    const user = await person();
    const states = [];
    for (const action of ["disable", "enable", "promote", "demote", "delete"]) {
      const { data } = (await manage(api.root, user.id, action)).json;
      states.push([action, data.status, data.role]);
    }
    expect(states).toEqual([
      ["disable", 2, 1],
      ["enable", 1, 1],
      ["promote", 1, 10],
      ["demote", 1, 1],
      ["delete", 1, 1],
    ]);
  });

  test.each([
    ["disable", "无法禁用、删除或降级超级管理员"],
    ["delete", "无法禁用、删除或降级超级管理员"],
    ["demote", "无法禁用、删除或降级超级管理员"],
    ["promote", "无法禁用、删除或降级超级管理员"],
  ])("root is beyond it, for root as well: %s", async (action, message) => {
    expect(denied(await manage(api.root, api.root.id, action))).toBe(message);
    expect(await rowOf(api.root.id)).toMatchObject({ role: 100, status: 1, deleted_at: null });
  });

  test("who is what already, who is not there, and what is no action is said", async () => {
    const [user, admin] = [await person(), await person(10)];
    expect(denied(await manage(api.root, admin.id, "promote"))).toBe("该用户已经是管理员");
    expect(denied(await manage(api.root, user.id, "demote"))).toBe("该用户已经是普通用户");
    expect(denied(await manage(api.admin, user.id, "promote"))).toBe("普通管理员无法将其他用户提升为管理员");
    expect(denied(await manage(api.root, 2_000_000_000, "disable"))).toBe("用户不存在");
    expect(denied(await manage(api.root, user.id, "explode"))).toBe("未知操作");
  });
});

describe("deleting for good", () => {
  test("takes what is personal and frees name and address; the books stay", async () => {
    const user = await person();
    await update(api.admin, { id: user.id, quota: 90 });
    await signInAs(api.database, user.id);
    expect((await erase(api.admin, user.id)).json).toEqual({ success: true, message: "" });
    expect((await login(user.username, PASSWORD)).json.success).toBe(false);
    const row = await rowOf(user.id);
    expect(row).toMatchObject({ email: null, password_hash: null, display_name: "", quota: 90 });
    expect(JSON.stringify(row)).not.toContain(user.username);
    expect(await api.database.sql`select 1 from sessions where user_id = ${user.id}`).toEqual([]);
    expect((await create(api.admin, { username: user.username, password: PASSWORD })).json.success).toBe(true);
    expect(denied(await erase(api.admin, user.id))).toBe("用户不存在");
    const { differences } = await reconcile(api.database.sql);
    expect(differences.filter(({ id }) => id === user.id)).toEqual([]);
  });

  test("is refused for root and for whoever is not there", async () => {
    expect(denied(await erase(api.root, api.root.id))).toBe("无法删除超级管理员");
    expect(denied(await erase(api.root, 9_999_999_999))).toBe("用户不存在");
  });
});
