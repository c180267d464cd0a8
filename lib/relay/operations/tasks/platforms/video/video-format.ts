import type { MeterUsage } from "@/lib/meters";
import type { Task, TaskState } from "../../../../answers/task";
import { type Json, readArray, readObject } from "../../../../wire/canonical/json";
import { InvalidRequest } from "../../../../wire/canonical/wire-error";
import type { StateWord } from "../../upstream-words";
import { metersOf, type VideoRequest } from "./video-request";

type Field = "negativePrompt" | "seed" | "mode" | "withSound" | "lastFrame" | "references" | "count";

const NAMES: Readonly<Record<Field, string>> = {
  negativePrompt: "negative_prompt",
  seed: "seed",
  mode: "mode",
  withSound: "sound",
  lastFrame: "image_tail",
  references: "images",
  count: "n",
};

/** Throws InvalidRequest where the request asks for something that the format does not have. */
export function refuseFields(request: VideoRequest, fields: readonly Field[]): void {
  if (request.ownField !== null) throw hasNo(request.ownField);
  for (const field of fields) {
    const value = request[field];
    const isGiven = Array.isArray(value) ? value.length > 0 : value !== null && value !== "";
    if (field === "count" ? request.count > 1 : isGiven) throw hasNo(NAMES[field]);
  }
}

function hasNo(name: string): InvalidRequest {
  return new InvalidRequest(`the model's upstream has no ${name} for videos`, name);
}

/** The fields that a format knows among those that callers give by an upstream's own names. */
export function pick(extra: Json, names: readonly string[]): Json {
  return Object.fromEntries(names.flatMap((name) => (extra[name] === undefined ? [] : [[name, extra[name]]])));
}

/** What is noted of a request with its task, for rendering it and for judging what is reported of it. */
export function notesOf(request: VideoRequest): Json {
  const { seconds, count, size, resolution, aspectRatio } = request;
  return { seconds, count, size, resolution, aspectRatio, meters: metersOf(request) };
}

/** What was charged for when the task was submitted; null = it was not noted. */
export function askedOf({ properties }: Pick<Task, "properties">): MeterUsage | null {
  const { meter, quantity, variant } = readObject(readArray(properties.meters)[0]);
  if (meter !== "second" || typeof quantity !== "number") return null;
  return { meter, quantity, ...(typeof variant === "string" ? { variant } : {}) };
}

/** The fields of a task's state that its word decides. */
export function stateFrom({ status, unknown }: StateWord): Pick<TaskState, "status" | "unknownWord"> {
  return { status, ...(unknown === undefined ? {} : { unknownWord: unknown }) };
}

/** What failed, in the upstream's words where it has some. */
export function reasonOf(message: unknown, fallback: unknown): string {
  const text = [message, fallback].find((part) => typeof part === "string" && part !== "");
  return typeof text === "string" ? text.slice(0, 2_000) : "the upstream does not say why";
}
