import * as mjApi from "@/app/api/mj/[[...path]]/route";
import * as taskApi from "@/app/api/task/[[...path]]/route";
import { tasks } from "@/db/schema";
import { listDrawings } from "@/lib/drawing/queries";
import { type DrawingSearch, drawingSearchSchema } from "@/lib/drawing/schemas";
import { listTasks } from "@/lib/task/queries";
import { type TaskSearch, taskSearchSchema } from "@/lib/task/schemas";
import { type Api, asAdmin, asUser, pageOf } from "./actors";
import { parametersOf } from "./parameters";
import {
  type Fields,
  type Filter,
  fieldsOf,
  insertVariants,
  omit,
  only,
  overTheWire,
  type Reading,
  type Subject,
  TOO_LONG,
} from "./proof";

const noon = 1_790_000_000;
const NUMBER = [-1, 1.5, "x"];
const scope = { scope: "whose rows; proven below" };
const notOwn = { channel_id: "not for ordinary users" };

/** Readings of everybody's and of one's own rows, through the API and through the page's query. */
function fourReadings(of: {
  api: Api;
  path: string;
  table: typeof mjApi;
  query: string;
  wire: Record<string, Filter>;
  domain: Record<string, Filter>;
  fields: string[];
  list: (search: Fields, own: boolean) => ReturnType<Reading["read"]>;
}): Reading[] {
  const { api, path, table, query, wire, domain, fields, list } = of;
  const hidden = ["owner"];
  return [
    {
      name: `GET ${path}`,
      parameters: parametersOf(`GET ${path}`),
      filters: wire,
      size: "page_size",
      read: overTheWire({ table, line: `GET ${path}/`, as: () => api.admin }),
    },
    {
      name: `GET ${path}/self`,
      parameters: parametersOf(`GET ${path}/self`),
      filters: omit(wire, "channel_id"),
      others: notOwn,
      hidden,
      size: "page_size",
      read: overTheWire({ table, line: `GET ${path}/self`, as: () => api.alice }),
    },
    {
      name: query,
      parameters: fields,
      filters: domain,
      others: scope,
      size: "pageSize",
      read: (search) => list(search, false),
    },
    {
      name: `${query} of an ordinary user`,
      parameters: fields,
      filters: omit(domain, "channelId"),
      others: { ...scope, channelId: "not for ordinary users" },
      hidden,
      size: "pageSize",
      read: (search) => list(search, true),
    },
  ];
}

export function drawingSubject(api: Api): Subject {
  const at = noon * 1_000;
  // A task id is unique.
  const id = only("mj-1", "owner", "channel", "id", "status", "action", "early", "late");
  const wire: Record<string, Filter> = {
    channel_id: { asks: [...only(7, "channel"), { value: 0, leavesOut: [] }], refused: [-1] },
    mj_id: { asks: id, refused: [TOO_LONG] },
    start_timestamp: { asks: only(at, "early"), refused: [-1] },
    end_timestamp: { asks: only(at, "late"), refused: [-1] },
  };
  const domain: Record<string, Filter> = {
    channelId: { asks: only(7, "channel"), refused: [...NUMBER, 0] },
    mjId: { asks: id, refused: [TOO_LONG, 5] },
    status: { asks: only("SUCCESS", "status"), refused: [TOO_LONG, 5] },
    action: { asks: only("IMAGINE", "action"), refused: [TOO_LONG, 5] },
    from: { asks: only(at, "early"), refused: NUMBER },
    until: { asks: only(at, "late"), refused: NUMBER },
  };
  return {
    name: "drawing tasks",
    prepare: () =>
      insertVariants(
        {
          owner: { userId: api.bob.id },
          channel: { channelId: 8 },
          id: { taskId: "mj-2" },
          status: { status: "FAILURE" },
          action: { action: "UPSCALE" },
          early: { submitTime: at - 1 },
          late: { submitTime: at + 1 },
        },
        async (fields, index) => {
          const first = { userId: api.alice.id, channelId: 7, platform: "mj", status: "SUCCESS", submitTime: at };
          const [row] = await api.database.db
            .insert(tasks)
            .values({
              action: "IMAGINE",
              createdAt: noon,
              updatedAt: noon,
              taskId: index === 0 ? "mj-1" : `mj-1${index}`,
              ...first,
              ...fields,
            })
            .returning({ id: tasks.id });
          return row?.id;
        },
      ),
    readings: fourReadings({
      api,
      path: "/api/mj",
      table: mjApi,
      query: "listDrawings",
      wire,
      domain,
      fields: fieldsOf(drawingSearchSchema),
      list: async (search, own) => {
        const asked = { scope: own ? "own" : "all", ...search } as DrawingSearch;
        return pageOf(await listDrawings(own ? asUser(api) : asAdmin(api), asked));
      },
    }),
  };
}

export function taskSubject(api: Api): Subject {
  const rows = ["owner", "channel", "status", "action", "early", "late"];
  // A task id is unique per platform.
  const id = only("task-1", ...rows);
  const wire: Record<string, Filter> = {
    channel_id: { asks: [...only(7, "channel"), { value: 0, leavesOut: [] }], refused: [-1] },
    platform: { asks: only("suno", "platform"), refused: [TOO_LONG] },
    task_id: { asks: id, refused: [TOO_LONG] },
    status: { asks: only("SUCCESS", "status"), refused: [TOO_LONG] },
    action: { asks: only("MUSIC", "action"), refused: [TOO_LONG] },
    start_timestamp: { asks: only(noon, "early"), refused: [-1] },
    end_timestamp: { asks: only(noon, "late"), refused: [-1] },
  };
  const domain: Record<string, Filter> = {
    channelId: { asks: only(7, "channel"), refused: [...NUMBER, 0] },
    platform: { asks: only("suno", "platform"), refused: [TOO_LONG, 5] },
    taskId: { asks: id, refused: [TOO_LONG, 5] },
    status: { asks: only("SUCCESS", "status"), refused: [TOO_LONG, 5] },
    action: { asks: only("MUSIC", "action"), refused: [TOO_LONG, 5] },
    from: { asks: only(noon, "early"), refused: NUMBER },
    until: { asks: only(noon, "late"), refused: NUMBER },
  };
  return {
    name: "asynchronous tasks",
    prepare: () =>
      insertVariants(
        {
          owner: { userId: api.bob.id },
          channel: { channelId: 8 },
          platform: { platform: "other", taskId: "task-1" },
          status: { status: "FAILURE" },
          action: { action: "LYRICS" },
          early: { submitTime: noon * 1_000 - 1 },
          late: { submitTime: (noon + 1) * 1_000 },
        },
        async (fields, index) => {
          const times = { createdAt: noon, updatedAt: noon, submitTime: noon * 1_000 };
          const first = { userId: api.alice.id, channelId: 7, platform: "suno", status: "SUCCESS", action: "MUSIC" };
          const [row] = await api.database.db
            .insert(tasks)
            .values({ taskId: `task-${index + 1}`, ...first, ...times, ...fields })
            .returning({ id: tasks.id });
          return row?.id;
        },
      ),
    readings: fourReadings({
      api,
      path: "/api/task",
      table: taskApi,
      query: "listTasks",
      wire,
      domain,
      fields: fieldsOf(taskSearchSchema),
      list: async (search, own) => {
        const asked = { scope: own ? "own" : "all", ...search } as TaskSearch;
        return pageOf(await listTasks(own ? asUser(api) : asAdmin(api), asked));
      },
    }),
  };
}
