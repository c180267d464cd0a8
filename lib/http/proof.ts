import { type ProofAlong, proveAlong } from "@/lib/auth/step-up-commands";
import type { ServiceContext } from "@/lib/context";
import { loadOptions } from "@/lib/option/queries";
import { hasRecentProof } from "@/lib/proof";
import { originOf } from "./origin";

/** Where a client without dialogs puts its proof: headers, or fields of a JSON body. */
export const PROOF_FIELDS = {
  password: { header: "X-Confirm-Password", field: "confirm_password" },
  code: { header: "X-Confirm-Code", field: "confirm_code" },
} as const;

const LENGTH_MAX = 256;

/**
 * The context of a call with its proof: a password or code sent along, or, where the operator allows it (StepUpForApi off),
 * a session whose caller is no browser. Every browser says which page a call comes from. Throws as `proveAlong`.
 */
export async function withProof(
  ctx: ServiceContext,
  request: Request,
  body: Record<string, unknown> | undefined,
): Promise<ServiceContext> {
  const proved = await proveAlong(ctx, readProof(request, body));
  const { actor } = proved;
  if (actor.type !== "user" || !actor.session || hasRecentProof(actor)) return proved;
  if (originOf(request.headers) !== "unknown" || (await loadOptions(ctx.db)).StepUpForApi) return proved;
  return { ...proved, actor: { ...actor, proved: true } };
}

/** The password or code that a call carries along. Text that cannot be one is left aside. */
export function readProof(request: Request, body: Record<string, unknown> | undefined): ProofAlong {
  const read = ({ header, field }: (typeof PROOF_FIELDS)[keyof typeof PROOF_FIELDS]) => {
    const sent = request.headers.get(header);
    const given = sent === null ? body?.[field] : fromHeader(sent);
    return typeof given === "string" && given !== "" && given.length <= LENGTH_MAX ? given : undefined;
  };
  return { password: read(PROOF_FIELDS.password), code: read(PROOF_FIELDS.code)?.trim() };
}

/** Header values arrive as one character a byte, while clients send UTF-8. */
function fromHeader(value: string): string {
  const decoded = Buffer.from(value, "latin1").toString("utf8");
  return decoded.includes("\uFFFD") ? value : decoded;
}
