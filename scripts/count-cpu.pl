# perl count-cpu.pl FILE NICENESS COMMAND [ARGUMENT …]: runs the command and writes the CPU seconds of all its processes
# into the file. As a "subreaper" this process becomes the parent of everything below it whose own parent has ended, so
# that none is left out: killed supervisors, browsers, what a script leaves behind. Node.js cannot ask for that, and Debian
# has perl everywhere.
use strict;
use warnings;
no warnings "exec";
use POSIX ":sys_wait_h";

my ($file, $niceness, @command) = @ARGV;
my %prctl_number = (x86_64 => 157, aarch64 => 167);
my $set_child_subreaper = 36;
my $prctl = $prctl_number{(POSIX::uname())[4]};
if (!defined $prctl || syscall($prctl, $set_child_subreaper, 1, 0, 0, 0) != 0) {
  print STDERR "CPU seconds cannot be counted on this machine\n";
  exec { $command[0] } @command or exit 127;
}
setpriority(0, 0, $niceness) if $niceness != 0;

my $pid = fork // die "fork: $!";
if ($pid == 0) {
  exec { $command[0] } @command;
  print STDERR "$command[0]: $!\n";
  POSIX::_exit(127);
}
# The command decides. Ctrl-C in a terminal goes to it, too.
$SIG{INT} = $SIG{HUP} = sub { };
$SIG{TERM} = sub { kill TERM => $pid };

my $status;
until (defined $status) {
  my $ended = wait;
  $status = $? if $ended == $pid;
  last if $ended == -1 && !$!{EINTR};
}
# What ends just after it. On a busy machine that takes seconds.
my $left = 0;
for (1 .. 1_500) {
  while (($left = waitpid(-1, WNOHANG)) > 0) { }
  last if $left == -1;
  select undef, undef, undef, 0.02;
}
print STDERR "processes outlive $command[0]; their CPU seconds are not counted\n" if $left == 0;

my (undef, undef, $user, $system) = times;
open my $out, ">", $file or die "$file: $!";
printf $out "%.2f\n", $user + $system;
close $out or die "$file: $!";
exit($status & 127 ? 128 + ($status & 127) : $status >> 8);
