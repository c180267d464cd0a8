import { getSite } from "@/app/site";
import { getTurnstileSite } from "@/app/turnstile";
import { AccountCard } from "@/components/account/account-card";
import { InviteCard } from "@/components/account/invite-card";
import { ProfileCard } from "@/components/account/profile-card";
import { ensureInviteCode } from "@/lib/affiliate/commands";
import type { ServiceContext } from "@/lib/context";
import { listUsableModels } from "@/lib/model/queries";
import { getSelf } from "@/lib/user/queries";
import { bindEmail, createAccessToken, deleteSelf, transferEarnings, updateSelf } from "./personal-actions";

/** The reader's own account. */
export async function PersonalTab({ ctx }: { ctx: ServiceContext }) {
  const [own, models, inviteCode, site, turnstileSite] = await Promise.all([
    getSelf(ctx),
    listUsableModels(ctx),
    ensureInviteCode(ctx),
    getSite(),
    getTurnstileSite(),
  ]);
  return (
    <div className="flex flex-col gap-4">
      <ProfileCard own={own} models={models} display={site.quotaDisplay} />
      <div className="grid items-start gap-4 xl:grid-cols-2">
        <InviteCard
          link={`${site.serverAddress}/register?aff=${inviteCode}`}
          pending={own.affQuota}
          total={own.affHistoryQuota}
          count={own.affCount}
          transferEarnings={transferEarnings}
        />
        <AccountCard
          own={{ username: own.username, email: own.email }}
          turnstileSite={turnstileSite}
          actions={{ bindEmail, createAccessToken, updateSelf, deleteSelf }}
        />
      </div>
    </div>
  );
}
