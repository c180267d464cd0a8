import { createUser, updateUser } from "@/components/user/actions";
import { CreateUserForm } from "@/components/user/create-user-form";
import { EditUserForm } from "@/components/user/edit-user-form";
import { UserOutOfReach } from "@/components/user/user-out-of-reach";
import type { ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { getUser } from "@/lib/user/queries";

type UserDrawerProps = { ctx: ServiceContext; groups: string[]; edit: number | null; create: boolean };

export async function UserDrawer({ ctx, groups, edit, create }: UserDrawerProps) {
  if (edit === null) return create ? <CreateUserForm createUser={createUser} /> : null;
  const user = await getUser(ctx, edit).catch(outOfReach);
  if (!user) return <UserOutOfReach key={edit} />;
  return <EditUserForm key={user.id} user={user} groups={groups} updateUser={updateUser} />;
}

/** Null for an account that does not exist or that outranks the user. */
function outOfReach(error: unknown): null {
  if (error instanceof AppError && (error.code === "not_found" || error.code === "forbidden")) return null;
  throw error;
}
