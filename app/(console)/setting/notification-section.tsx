import { getLocale } from "next-intl/server";
import { NotificationPreferences } from "@/components/account/notification-preferences";
import { NotificationTargets } from "@/components/account/notification-targets";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { errorMessage } from "@/lib/http/message";
import { readOwnBudgets } from "@/lib/limit/budget-queries";
import { eventDefinition, NOTIFICATION_EVENTS } from "@/lib/notify/events";
import { getPreferences, listTargets } from "@/lib/notify/queries";
import { loadOptions } from "@/lib/option/queries";

/** Notification targets, warnings and message language of the signed-in user. */
export async function NotificationSection({ ctx }: { ctx: ServiceContext }) {
  const { role } = requireRole(ctx, ROLE.user);
  const locale = await getLocale();
  const [targets, preferences, options, budgets] = await Promise.all([
    listTargets(ctx, (failure) => errorMessage(failure, locale)),
    getPreferences(ctx),
    loadOptions(ctx.db),
    readOwnBudgets(ctx),
  ]);
  const events = NOTIFICATION_EVENTS.filter((event) => role >= ROLE.root || eventDefinition(event).audience === "user");
  return (
    <div id="notification" className="grid scroll-mt-20 items-start gap-4 xl:grid-cols-2">
      <NotificationTargets
        targets={targets}
        events={events}
        accountEmail={preferences.email}
        canBindWeChat={options.WxPusherAppToken !== ""}
      />
      <NotificationPreferences preferences={preferences} budgets={budgets} />
    </div>
  );
}
