import type { Got } from "../caller";
import { ANSWER, type Seen } from "./upstream";

/** `isAdvice`: broken, it makes an answer partial and not failed. */
export type Check = { isAdvice?: boolean } & (
  | { kind: "primary at least" | "primary at most"; count: number }
  | { kind: "primary within"; ms: number; count: number }
  | { kind: "first gap at least" | "ends within"; ms: number }
  | { kind: "recovered within"; ms: number; afterMs: number }
  | { kind: "not cut unseen" | "whole" | "has usage" | "well afterwards" | "no refused prefill seen" }
  | { kind: "served while down" | "names the other model" }
);

/** What happened. `after`: a request to a healthy model that came last. */
export type Ran = {
  ideal: "answer" | "error";
  mostMs: number;
  got: readonly Got[];
  after: Got;
  primary: readonly Seen[];
  other: readonly Seen[];
  otherModel: string;
};

/** As FailoverBench has it: partial = rescued, but not as it should be; safe = a clean error in time. */
export type Verdict = "pass" | "partial" | "safe" | "fail";

const hasHung = ({ ended }: Got): boolean => ended === "left";
/** What a careful client takes for a success. */
const isSuccess = ({ status, error, ended }: Got): boolean => status === 200 && error === null && ended === "clean";
const isComplete = (got: Got): boolean => isSuccess(got) && got.text === ANSWER;

function isKept(check: Check, ran: Ran): boolean {
  const { got, after, primary, other } = ran;
  const [first] = got;
  switch (check.kind) {
    case "primary at least":
      return primary.length >= check.count;
    case "primary at most":
      return primary.length <= check.count;
    case "primary within":
      return primary.filter(({ atMs }) => atMs < check.ms).length <= check.count;
    case "first gap at least":
      return (primary[1]?.atMs ?? Number.NEGATIVE_INFINITY) >= check.ms;
    case "ends within":
      return got.every(({ ms }) => ms <= check.ms);
    case "recovered within":
      return primary.some(({ status, atMs }) => status === 200 && atMs <= check.afterMs + check.ms);
    case "not cut unseen":
      return got.every((one) => !isSuccess(one) || isComplete(one));
    case "whole":
    case "served while down":
      return got.every(isComplete);
    case "has usage":
      return first?.hasUsage === true;
    case "well afterwards":
      return isComplete(after);
    case "no refused prefill seen":
      return got.every(isSuccess) || !other.some(({ isPrefillRefused }) => isPrefillRefused);
    case "names the other model":
      return other.length === 0 || (first?.model ?? "").includes(ran.otherModel);
  }
}

/** The verdict, and the checks that are broken. */
export function judge(ran: Ran, checks: readonly Check[]): { verdict: Verdict; broken: string[] } {
  const { got, ideal } = ran;
  const broken = checks.filter((check) => !isKept(check, ran));
  const names = broken.map(({ kind }) => kind);
  if (got.some(hasHung)) return { verdict: "fail", broken: [...names, "hang"] };
  const isUnseen = ideal === "answer" && got.some((one) => isSuccess(one) && !isComplete(one));
  if (isUnseen || broken.some(({ isAdvice }) => !isAdvice)) return { verdict: "fail", broken: names };
  if (ideal === "error") return { verdict: got.some(isSuccess) ? "partial" : "pass", broken: names };
  if (!got.every(isComplete)) return { verdict: "safe", broken: names };
  return { verdict: broken.length > 0 ? "partial" : "pass", broken: names };
}
