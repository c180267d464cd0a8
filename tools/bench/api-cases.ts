import * as channelApi from "@/app/api/channel/[[...path]]/route";
import * as dataApi from "@/app/api/data/[[...path]]/route";
import * as logApi from "@/app/api/log/[[...path]]/route";
import * as drawingApi from "@/app/api/mj/[[...path]]/route";
import * as pricingApi from "@/app/api/pricing/[[...path]]/route";
import * as redemptionApi from "@/app/api/redemption/[[...path]]/route";
import * as taskApi from "@/app/api/task/[[...path]]/route";
import * as tokenApi from "@/app/api/token/[[...path]]/route";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { nowSeconds } from "@/lib/clock";
import { type Case, type People, type Person, turnOf } from "./list-people";

const DAY = 86_400;

type Table = { GET: (request: Request, context: { params: Promise<{ path?: string[] }> }) => Promise<Response> };

/** One API call with an access token, including reading the whole body. Throws when it does not succeed. */
async function call(table: Table, { ctx, accessToken }: Person, target: string): Promise<string> {
  const url = new URL(target, "http://weir.example");
  const path = url.pathname.split("/").slice(3).filter(Boolean);
  const headers = { authorization: accessToken, "new-api-user": String(ctx.actor.id) };
  const answer = await table.GET(new Request(url, { headers }), { params: Promise.resolve({ path }) });
  const text = await answer.text();
  if (answer.status !== 200 || !text.includes('"success":true')) throw new Error(`${target}: ${text.slice(0, 300)}`);
  return text;
}

export function apiCases({ admin, root, heavy, reseller, names }: People): Case[] {
  const now = nowSeconds();
  const window = `start_timestamp=${now - 30 * DAY}&end_timestamp=${now}`;
  const of = (table: Table, person: Person, target: (turn: number) => string): Case => ({
    name: `GET ${target(0).replace(/\?.*/, "")}`,
    run: (turn) => call(table, person, target(turn)),
  });
  return [
    of(channelApi, admin, (turn) => `/api/channel/?p=${turn}&page_size=100`),
    of(
      channelApi,
      admin,
      (turn) => `/api/channel/search?keyword=${turnOf(["9", "host", "none"], turn)}&group=vip&model=gpt`,
    ),
    of(userApi, root, (turn) => `/api/user/?p=${turn * 40}&page_size=100`),
    of(userApi, root, (turn) => `/api/user/search?keyword=${turnOf(names, turn)}`),
    of(userApi, admin, (turn) => `/api/user/topup?p=${turn}&page_size=100`),
    of(userApi, heavy, (turn) => `/api/user/topup/self?p=${turn}`),
    of(userApi, heavy, (turn) => `/api/user/ledger?p=${turn}`),
    of(tokenApi, reseller, (turn) => `/api/token/?p=${turn}&size=100`),
    of(tokenApi, reseller, (turn) => `/api/token/search?keyword=${turnOf(["token", "77"], turn)}&token=`),
    of(redemptionApi, admin, (turn) => `/api/redemption/?p=${turn}&page_size=100`),
    of(redemptionApi, admin, (turn) => `/api/redemption/search?keyword=${turnOf(["batch 1", "777"], turn)}`),
    of(logApi, admin, (turn) => `/api/log/?p=${turn}&page_size=100&${window}`),
    of(logApi, heavy, (turn) => `/api/log/self?p=${turn}&page_size=100`),
    of(logApi, admin, (turn) => `/api/log/stat?${turn % 2 ? window : ""}&username=${turnOf(["", ...names], turn)}`),
    of(logApi, heavy, () => "/api/log/self/stat"),
    of(dataApi, admin, (turn) => `/api/data/?${window}&username=${turn % 2 ? turnOf(names, turn) : ""}`),
    of(dataApi, heavy, () => `/api/data/self?${window}`),
    of(drawingApi, admin, (turn) => `/api/mj/?p=${turn}&page_size=100`),
    of(drawingApi, heavy, () => "/api/mj/self"),
    of(taskApi, admin, (turn) => `/api/task/?p=${turn}&page_size=100`),
    of(taskApi, heavy, () => "/api/task/self"),
    of(pricingApi, heavy, () => "/api/pricing"),
  ];
}
