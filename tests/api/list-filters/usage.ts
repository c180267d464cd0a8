import * as dataApi from "@/app/api/data/[[...path]]/route";
import { usageHourly } from "@/db/schema";
import { readDashboard } from "@/lib/statistics/dashboard-queries";
import { listHourlyUsage } from "@/lib/statistics/queries";
import { type DashboardSearch, dashboardSchema, type UsageWindow, usageWindowSchema } from "@/lib/statistics/schemas";
import { type Api, asAdmin, asUser } from "./actors";
import { parametersOf } from "./parameters";
import { type Filter, fieldsOf, insertVariants, only, overTheWire, type Subject, TOO_LONG } from "./proof";

const HOUR = 3_600;
const DAY = 86_400;
const now = Math.floor(Date.now() / 1000);
const hour = now - (now % HOUR) - 6 * HOUR;
const NUMBER = [-1, 1.5, "x"];

const window = { from: hour - DAY / 2, until: now };
const whose = { scope: "whose; proven below" };
const time: Record<string, Filter> = {
  from: { asks: only(hour, "early"), refused: NUMBER },
  // The end time is inclusive for hourly lists.
  until: { asks: only(hour, "late"), refused: NUMBER },
};
const username: Filter = {
  asks: [...only("alice", "owner"), { value: "ALICE", leavesOut: ["owner"] }],
  refused: [TOO_LONG],
};

/** Rows are summed by model and hour, so each row has its own model. */
export function usageSubject(api: Api): Subject {
  const models = (rows: { modelName: string }[]) => ({ ids: rows.map(({ modelName }) => modelName) });
  const wireTimes: Record<string, Filter> = {
    start_timestamp: { asks: only(hour, "early"), refused: [-1] },
    end_timestamp: { asks: only(hour, "late"), refused: [-1] },
  };
  const hint = { default_time: "a hint about how the client draws (contract §1.12)" };
  const dashboard = {
    ...whose,
    granularity: "how points are summed",
    timeZone: "where days begin",
    dimension: "what the breakdown is by",
  };
  const readModels = async (search: object, own: boolean) => {
    const asked = { ...window, scope: own ? "own" : "all", granularity: "hour", timeZone: "UTC", ...search };
    const found = await readDashboard(own ? asUser(api) : asAdmin(api), {
      dimension: "model",
      ...asked,
    } as DashboardSearch);
    return { ids: found.breakdown.rows.map(({ key }) => key), total: found.totals.count };
  };
  return {
    name: "usage statistics",
    prepare: () =>
      insertVariants(
        { owner: { userId: api.bob.id }, early: { hour: hour - HOUR }, late: { hour: hour + HOUR } },
        async (fields, index) => {
          const modelName = `usage-${index}`;
          const row = { hour, userId: api.alice.id, tokenId: 1, channelId: 1, group: "default", quota: 1, count: 1 };
          await api.database.db.insert(usageHourly).values({ modelName, ...row, ...fields });
          return modelName;
        },
      ),
    readings: [
      {
        name: "GET /api/data",
        parameters: parametersOf("GET /api/data"),
        filters: { username, ...wireTimes },
        others: hint,
        read: overTheWire({ table: dataApi, line: "GET /api/data/", as: () => api.admin, key: "model_name" }),
      },
      {
        name: "GET /api/data/self",
        parameters: parametersOf("GET /api/data/self"),
        filters: wireTimes,
        others: { ...hint, username: "one's own only, whoever is named" },
        hidden: ["owner"],
        read: overTheWire({ table: dataApi, line: "GET /api/data/self", as: () => api.alice, key: "model_name" }),
      },
      {
        name: "listHourlyUsage",
        parameters: fieldsOf(usageWindowSchema),
        filters: { username: { ...username, refused: [TOO_LONG, 5] }, ...time },
        others: whose,
        read: async (search) =>
          models(await listHourlyUsage(asAdmin(api), { scope: "all", ...window, ...search } as UsageWindow)),
      },
      {
        name: "readDashboard",
        parameters: fieldsOf(dashboardSchema),
        filters: {
          username: { ...username, refused: [TOO_LONG, 5] },
          from: { asks: only(hour, "early"), refused: NUMBER },
          // The end time is exclusive for the dashboard.
          until: { asks: only(hour + HOUR, "late"), refused: NUMBER },
        },
        others: dashboard,
        read: (search) => readModels(search, false),
      },
      {
        name: "readDashboard of an ordinary user",
        parameters: fieldsOf(dashboardSchema),
        filters: {
          from: { asks: only(hour, "early"), refused: NUMBER },
          until: { asks: only(hour + HOUR, "late"), refused: NUMBER },
        },
        others: { ...dashboard, username: "one's own only, whoever is named" },
        hidden: ["owner"],
        read: (search) => readModels(search, true),
      },
    ],
  };
}
