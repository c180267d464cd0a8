import pino from "pino";
import { env, environmentProblems } from "./env";

/** Class 22 (data exceptions): PostgreSQL ends the message with the value that it could not read. */
const QUOTED_VALUE = /: "[\s\S]*"$/;

type DatabaseFault = { message: string; code: string; constraint?: unknown };

/**
 * An error as it is logged: with PostgreSQL's SQLSTATE and constraint, without any value of a statement. db/connect.ts
 * removes parameters and details from the errors themselves.
 */
export function toErrorRecord(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const record: Record<string, unknown> = { ...pino.stdSerializers.err(error) };
  const fault = databaseFaultOf(error);
  if (!fault) return record;
  const safe = fault.code.startsWith("22") ? fault.message.replace(QUOTED_VALUE, ': "…"') : fault.message;
  for (const name of ["message", "stack"]) {
    const text = record[name];
    if (typeof text === "string") record[name] = text.replaceAll(fault.message, safe);
  }
  return { ...record, code: fault.code, ...(fault.constraint === undefined ? {} : { constraint: fault.constraint }) };
}

function databaseFaultOf(error: Error): DatabaseFault | null {
  const seen = new Set<Error>();
  for (let at: unknown = error; at instanceof Error && !seen.has(at); at = at.cause) {
    seen.add(at);
    if ("code" in at && typeof at.code === "string" && /^[0-9A-Z]{5}$/.test(at.code)) {
      return {
        message: at.message,
        code: at.code,
        ...("constraint_name" in at ? { constraint: at.constraint_name } : {}),
      };
    }
  }
  return null;
}

/** Of every logger of the process. */
export const LOG_SETTINGS = {
  level: wantedLevel(),
  base: { pid: process.pid },
  serializers: { err: toErrorRecord },
};

/** This is loaded before the start can judge the environment, which names all that is wrong in it at once. */
function wantedLevel(): string {
  return environmentProblems().length === 0 ? env().WEIR_LOG_LEVEL : "info";
}

/** The structured log of the process. Never pass secrets or request bodies to it. */
export const logger = pino(LOG_SETTINGS);
