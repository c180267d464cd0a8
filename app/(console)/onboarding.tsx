import { cookies } from "next/headers";
import { ONBOARDING_COOKIE } from "@/components/shell/cookies";
import { Onboarding } from "@/components/shell/onboarding";
import { Texts } from "@/components/shell/texts";
import { checkOnboarding } from "@/lib/onboarding/queries";
import { getSignedIn } from "./signed-in";

/** The getting-started checklist. Hidden once every step is done or the user has dismissed it. */
export async function OnboardingSlot({ dashboard }: { dashboard: boolean }) {
  const [ctx, jar] = await Promise.all([getSignedIn(), cookies()]);
  if (jar.get(ONBOARDING_COOKIE)?.value === "dismissed") return null;
  const steps = await checkOnboarding(ctx);
  if (steps.every((step) => step.done)) return null;
  return (
    <Texts of={["onboarding"]}>
      <Onboarding initial={steps} homes={dashboard ? ["/detail", "/token"] : ["/token"]} />
    </Texts>
  );
}
