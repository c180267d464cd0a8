import { getTurnstileSite } from "@/app/sign-in";
import { getSite } from "@/app/site";
import { AccountCard } from "@/components/account/account-card";
import { BindingsCard } from "@/components/account/bindings-card";
import { EmailRow } from "@/components/account/email-row";
import { InviteCard } from "@/components/account/invite-card";
import { ProfileCard } from "@/components/account/profile-card";
import { Texts } from "@/components/shell/texts";
import { ensureInviteCode } from "@/lib/affiliate/commands";
import type { ServiceContext } from "@/lib/context";
import { listUsableModels } from "@/lib/model/queries";
import { outsideFlags } from "@/lib/oauth/flags";
import { toBindings } from "@/lib/oauth/types";
import { loadOptions } from "@/lib/option/queries";
import { getSelf } from "@/lib/user/queries";
import { NotificationSection } from "./notification-section";
import { SecuritySection } from "./security-section";

export async function PersonalTab({ ctx }: { ctx: ServiceContext }) {
  const [own, models, inviteCode, site, turnstileSite, options] = await Promise.all([
    getSelf(ctx),
    listUsableModels(ctx),
    ensureInviteCode(ctx),
    getSite(),
    getTurnstileSite(),
    loadOptions(ctx.db),
  ]);
  return (
    <Texts of={["limit", "notify", "outside", "personal", "register", "security"]}>
      <div className="flex flex-col gap-4">
        <ProfileCard own={own} models={models} display={site.quotaDisplay} />
        <div className="grid items-start gap-4 xl:grid-cols-2">
          <div className="flex min-w-0 flex-col gap-4">
            <InviteCard
              code={inviteCode}
              link={`${site.serverAddress}/register?aff=${inviteCode}`}
              pending={own.affQuota}
              total={own.affHistoryQuota}
              count={own.affCount}
            />
            <AccountCard username={own.username} />
          </div>
          <BindingsCard self={toBindings(own)} flags={outsideFlags(options)}>
            <EmailRow email={own.email} turnstileSite={turnstileSite} />
          </BindingsCard>
        </div>
        <SecuritySection ctx={ctx} />
        <NotificationSection ctx={ctx} />
      </div>
    </Texts>
  );
}
