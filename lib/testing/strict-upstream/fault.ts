import type { z } from "zod";

/** The first fault of a JSON value as text; null = it has the shape. */
export function findShapeFault(schema: z.ZodType, json: unknown): string | null {
  const { error } = schema.safeParse(json);
  const [issue] = error?.issues ?? [];
  if (!issue) return null;
  const keys = "keys" in issue ? ` ${String(issue.keys)}` : "";
  return `${issue.path.join(".")}: ${issue.message}${keys}`;
}

type SchemaObject = { type?: unknown; properties?: Record<string, unknown>; required?: unknown[] };

/** What OpenAI refuses in a schema that is to be kept to strictly; null = nothing. */
export function findStrictFault(schema: unknown, at: string): string | null {
  if (typeof schema !== "object" || schema === null) return null;
  const { type, properties, required = [], ...rest } = schema as SchemaObject & Record<string, unknown>;
  if (type === "object") {
    if (rest.additionalProperties !== false) return `${at}: 'additionalProperties' is required to be false`;
    const lost = Object.keys(properties ?? {}).find((name) => !required.includes(name));
    if (lost !== undefined) return `${at}: 'required' must include every property, '${lost}' is missing`;
  }
  const inner = [...Object.entries(properties ?? {}), ...Object.entries(rest)];
  for (const [name, value] of inner) {
    const fault = findStrictFault(value, `${at}.${name}`);
    if (fault !== null) return fault;
  }
  return null;
}

/** Calls without a result directly after them, or results without a call; null = all fit. */
export class OpenCalls {
  private open = new Set<string>();

  /** Before anything but a result. */
  expectNone(at: string): string | null {
    return this.open.size === 0 ? null : `${at}: no result was given for the calls ${[...this.open].join(", ")}`;
  }

  call(id: string): void {
    this.open.add(id);
  }

  result(id: string, at: string): string | null {
    return this.open.delete(id) ? null : `${at}: a result for ${id}, which was not called just before`;
  }
}
