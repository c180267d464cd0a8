import { getSite } from "@/app/site";
import { createTokens, updateToken } from "@/components/token/actions";
import { TokenForm } from "@/components/token/token-form";
import type { ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { listUsableGroups } from "@/lib/group/queries";
import { listUsableModels } from "@/lib/model/queries";
import { getToken } from "@/lib/token/queries";

type TokenDrawerProps = { ctx: ServiceContext; edit: number | null; create: boolean };

export async function TokenDrawer({ ctx, edit, create }: TokenDrawerProps) {
  if (edit === null && !create) return null;
  const [token, groups, models, site] = await Promise.all([
    edit === null ? null : getToken(ctx, edit).catch(missing),
    listUsableGroups(ctx),
    listUsableModels(ctx),
    getSite(),
  ]);
  if (edit !== null && !token) return null;
  return (
    <TokenForm
      key={edit ?? "create"}
      token={token}
      groups={groups}
      models={models}
      serverAddress={site.serverAddress}
      createTokens={createTokens}
      updateToken={updateToken}
    />
  );
}

function missing(error: unknown): null {
  if (error instanceof AppError && error.code === "not_found") return null;
  throw error;
}
