import type { UpstreamOptions } from "../../../providers/requests/upstream-options";
import { type Json, readArray, readText } from "../../../wire/canonical/json";
import { InvalidRequest } from "../../../wire/canonical/wire-error";
import type { Follows, Submission } from "../platform";

/** A submission as its proxy is asked for it. */
export type DrawingRequest = {
  /** Of the caller, with its mode. */
  path: string;
  action: string;
  body: Json;
  /** Where the body names the task that it goes on with. */
  names: "taskId" | "content" | null;
};

type Read = { action: string; model?: string; prompt?: string; follows?: Follows; names?: DrawingRequest["names"] };

export const SUBMISSION =
  /^(?:\/mj-(?:fast|relax|turbo))?\/mj\/(submit\/(?:imagine|change|simple-change|describe|blend|shorten|action|modal|upload-discord-images)|insight-face\/swap)$/;

const READERS: Readonly<Record<string, (body: Json) => Read>> = {
  "submit/imagine": (body) => ({ action: "IMAGINE", prompt: textOf(body, "prompt", "prompt_is_required") }),
  "submit/change": readChange,
  "submit/simple-change": readSimpleChange,
  "submit/describe": (body) => {
    if (readText(body.base64) === "" && readText(body.link) === "") throw invalid("base64_is_required", "base64");
    return { action: "DESCRIBE" };
  },
  "submit/blend": (body) => {
    const pictures = readArray(body.base64Array);
    if (pictures.length < 2 || pictures.length > 5 || !pictures.every(isFilled))
      throw invalid("base64Array_must_have_2_to_5_pictures", "base64Array");
    return { action: "BLEND" };
  },
  "submit/shorten": (body) => ({ action: "SHORTEN", prompt: textOf(body, "prompt", "prompt_is_required") }),
  "submit/action": readAction,
  "submit/modal": (body) => ({
    action: "MODAL",
    prompt: readText(body.prompt),
    follows: { taskId: textOf(body, "taskId", "task_id_is_required"), mustBeDone: never },
    names: "taskId",
  }),
  "submit/upload-discord-images": (body) => {
    const pictures = readArray(body.base64Array);
    if (pictures.length === 0 || pictures.length > 10 || !pictures.every(isFilled))
      throw invalid("base64Array_is_required", "base64Array");
    return { action: "UPLOAD" };
  },
  "insight-face/swap": (body) => {
    if (readText(body.sourceBase64) === "" || readText(body.targetBase64) === "")
      throw invalid("sour_base64_and_target_base64_is_required", "sourceBase64");
    return { action: "SWAP_FACE", model: "swap_face" };
  },
};

const never = (): boolean => false;
const mustBeDone = ({ MjActionCheckSuccessEnabled }: UpstreamOptions): boolean => MjActionCheckSuccessEnabled;

/** Throws InvalidRequest. */
export function readDrawing(body: Json, path: string): Submission<DrawingRequest> {
  const read = READERS[SUBMISSION.exec(path)?.[1] ?? ""];
  if (!read) throw invalid("unknown_path", "path");
  const { action, model = `mj_${action.toLowerCase()}`, prompt = "", follows, names = null } = read(body);
  return {
    model,
    action,
    meters: [{ meter: "request", quantity: 1 }],
    prompt,
    state: readText(body.state),
    ...(follows ? { follows } : {}),
    properties: {
      botType: readText(body.botType).slice(0, 40),
      customId: readText(body.customId).slice(0, 300),
      notifyHook: readText(body.notifyHook).slice(0, 2_000),
    },
    request: { path, action, body, names },
  };
}

function readChange(body: Json): Read {
  const taskId = textOf(body, "taskId", "task_id_is_required");
  const action = textOf(body, "action", "action_is_required").toUpperCase();
  if (!["UPSCALE", "VARIATION", "REROLL"].includes(action)) throw invalid("action_is_required", "action");
  if (action !== "REROLL" && !isIndex(body.index)) throw invalid("index_is_required", "index");
  return { action, follows: { taskId, mustBeDone }, names: "taskId" };
}

const ACTIONS: Readonly<Record<string, string>> = { U: "UPSCALE", V: "VARIATION", R: "REROLL" };

function readSimpleChange(body: Json): Read {
  const content = textOf(body, "content", "content_is_required");
  const [, taskId = "", letter = ""] = /^(\S{1,64})\s+(?:([UV])[1-4]|R)$/i.exec(content.trim()) ?? [];
  if (taskId === "") throw invalid("content_parse_failed", "content");
  const action = ACTIONS[letter.toUpperCase() || "R"] ?? "REROLL";
  return { action, follows: { taskId, mustBeDone }, names: "content" };
}

function readAction(body: Json): Read {
  const customId = textOf(body, "customId", "custom_id_is_required");
  const taskId = textOf(body, "taskId", "task_id_is_required");
  const action = actionOf(customId);
  if (action === null) throw invalid("unknown_action", "customId");
  return { action, follows: { taskId, mustBeDone }, names: "taskId" };
}

function isIndex(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 4;
}

function isFilled(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function textOf(body: Json, name: string, code: string): string {
  const text = readText(body[name]).trim();
  if (text === "") throw invalid(code, name);
  return text;
}

function invalid(code: string, param: string): InvalidRequest {
  return new InvalidRequest(code, param);
}

/** What a button's id stands for (contract §7.1); null = nothing that is known. */
function actionOf(customId: string): string | null {
  const parts = customId.split("::");
  const name = (parts[1] === "JOB" ? parts[2] : parts[1]) ?? "";
  if (name.startsWith("upsample")) return "UPSCALE";
  if (name === "variation") return "VARIATION";
  if (name === "low_variation") return "LOW_VARIATION";
  if (name === "high_variation") return "HIGH_VARIATION";
  if (name.startsWith("pan")) return "PAN";
  if (name.startsWith("reroll")) return "REROLL";
  if (name === "Outpaint") return "ZOOM";
  if (name === "CustomZoom") return "CUSTOM_ZOOM";
  if (name === "Inpaint") return "INPAINT";
  return null;
}
