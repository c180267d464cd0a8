import type { Task } from "../../../answers/task";
import { RelayError } from "../../../base/relay-error";
import { type Json, readArray, readObject, readText } from "../../../wire/canonical/json";
import { InvalidRequest } from "../../../wire/canonical/wire-error";
import { midjourney } from "../../caller-shapes";
import type { PageContext, Submitted, TaskPage, TaskPageCall, TaskWire } from "../platform";
import { IDS_MAX } from "../queries";
import { type DrawingRequest, readDrawing, SUBMISSION } from "./submission";
import { imageSeedPath } from "./upstream";

const MODE = `^(?:/mj-(?:fast|relax|turbo))?`;
const FETCH = new RegExp(`${MODE}/mj/task/([^/]{1,64})/fetch$`);
const SEED = new RegExp(`${MODE}/mj/task/([^/]{1,64})/image-seed$`);
const LIST = new RegExp(`${MODE}/mj/task/list-by-condition$`);
const IMAGE = /^\/mj\/image\/([^/]{1,64})$/;

/** Callers of a midjourney-proxy. */
export const midjourneyWire: TaskWire<DrawingRequest> = {
  id: "mj",
  operation: "drawing",
  clientDialect: midjourney,
  submissions: [{ method: "POST", path: SUBMISSION }],
  read: (json, { path }) => readDrawing(json, path),
  renderSubmitted,
  notice(task, context) {
    const url = readText(task.properties.notifyHook);
    return url === "" ? null : { url, body: renderDrawing(task, context) };
  },
  pages: [
    {
      method: "GET",
      path: FETCH,
      kind: "rows",
      wanted: (call) => ({ ids: [idIn(FETCH, call)] }),
      render: ([task], context) => renderDrawing(task ?? unknown(), context),
    },
    {
      method: "POST",
      path: LIST,
      kind: "rows",
      wanted: ({ json }) => ({ ids: readIds(json) }),
      render: (tasks, context) => tasks.map((task) => renderDrawing(task, context)),
    },
    {
      method: "GET",
      path: SEED,
      kind: "forward",
      taskId: (call) => idIn(SEED, call),
      ask: (task) => ({ method: "GET", path: imageSeedPath(task), bytesMax: 65_536, timeoutMs: 30_000 }),
      contentTypes: null,
    },
    { method: "GET", path: IMAGE, kind: "picture", taskId: (call) => idIn(IMAGE, call) },
  ] satisfies TaskPage[],
};

/** "Exists" and "queued" mean to the caller that it was taken, except where its next step is waited for. */
function renderSubmitted({ taskId, action }: Task, { code, json }: Submitted): Json {
  const keepsCode = code === 21 && (action === "INPAINT" || action === "CUSTOM_ZOOM");
  const result = action === "UPLOAD" ? json.result : taskId;
  return { code: keepsCode ? code : 1, description: json.description ?? "", result, properties: json.properties ?? {} };
}

export function renderDrawing(task: Task, { serverAddress, options }: PageContext): Json {
  const data = readObject(task.data);
  const properties = readObject(task.properties);
  const [imageUrl = ""] = task.results;
  const forwarded = `${serverAddress}/mj/image/${task.taskId}${task.status === "SUCCESS" ? "" : `?rand=${task.startTime}`}`;
  return {
    id: task.taskId,
    action: task.action,
    customId: properties.customId ?? "",
    botType: properties.botType ?? "",
    prompt: task.prompt,
    promptEn: task.promptEn,
    description: task.description,
    state: task.state,
    submitTime: task.submitTime,
    startTime: task.startTime,
    finishTime: task.finishTime,
    imageUrl: imageUrl !== "" && options.MjForwardUrlEnabled ? forwarded : imageUrl,
    status: task.status,
    progress: task.progress,
    failReason: task.failReason,
    buttons: readArray(data.buttons),
    maskBase64: "",
    properties: readObject(data.properties),
  };
}

function idIn(pattern: RegExp, { path }: TaskPageCall): string {
  return pattern.exec(path)?.[1] ?? "";
}

function readIds({ ids }: Json): string[] {
  const list = readArray(ids);
  if (list.length > IDS_MAX || !list.every((id) => typeof id === "string" || typeof id === "number"))
    throw new InvalidRequest(`ids must be a list of at most ${IDS_MAX} texts`, "ids");
  return list.map(String);
}

function unknown(): never {
  throw new RelayError("task_no_found_here", "task_no_found: the task was not found");
}
