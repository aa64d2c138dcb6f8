"""The system calls that a cell does not get: the reasons, and the numbers on each architecture.

Numbers: Linux, arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h. A dash
stands where the architecture never had the call.
"""

ARCHITECTURES = ("x86_64", "aarch64")

# The last number that both tables name. What is newer is answered as by a kernel that does not
# have it, which every program of today can live with, until somebody has looked at it.
NEWEST = 450

_ALWAYS = """
# A new process: a cell is one process, and its pads are made before the filter.
fork                       57     -
vfork                      58     -
execveat                  322   281
# Out of the session and the group in which the spawner finds everything to end.
setsid                    112   157
setpgid                   109   154
# The memory, the descriptors and the page tables of other processes.
ptrace                    101   117
process_vm_readv          310   270
process_vm_writev         311   271
process_madvise           440   440
process_mrelease          448   448
kcmp                      312   272
pidfd_open                434   434
pidfd_getfd               438   438
pidfd_send_signal         424   424
move_pages                279   239
migrate_pages             256   238
perf_event_open           298   241
# The processor and the disk at the cost of others, and limits raised again (root may).
setpriority               141   140
ioprio_set                251    30
sched_setscheduler        144   119
sched_setparam            142   118
sched_setattr             314   274
sched_setaffinity         203   122
setrlimit                 160   164
sync                      162    81
syncfs                    306   267
# Somebody to talk to. Landlock stops TCP alone, and that from its ABI 4.
connect                    42   203
# What Landlock does not look at: the metadata of files that the same user owns elsewhere.
chmod                      90     -
fchmod                     91    52
fchmodat                  268    53
chown                      92     -
fchown                     93    55
lchown                     94     -
fchownat                  260    54
setxattr                  188     5
lsetxattr                 189     6
fsetxattr                 190     7
removexattr               197    14
lremovexattr              198    15
fremovexattr              199    16
utime                     132     -
utimes                    235     -
futimesat                 261     -
utimensat                 280    88
# What Landlock looks at only from its ABI 3, and what no result needs.
truncate                   76    45
link                       86     -
linkat                    265    37
symlink                    88     -
symlinkat                 266    36
mknod                     133     -
mknodat                   259    33
# Other names for files, and news of what happens to them: names are capabilities.
name_to_handle_at         303   264
open_by_handle_at         304   265
inotify_init              253     -
inotify_init1             294    26
inotify_add_watch         254    27
fanotify_init             300   262
fanotify_mark             301   263
# Memory that RLIMIT_AS does not count, or that stays behind.
memfd_create              319   279
memfd_secret              447   447
shmget                     29   194
shmat                      30   196
shmctl                     31   195
shmdt                      67   197
semget                     64   190
semop                      65   193
semctl                     66   191
semtimedop                220   192
msgget                     68   186
msgsnd                     69   189
msgrcv                     70   188
msgctl                     71   187
mq_open                   240   180
mq_unlink                 241   181
mq_timedsend              242   182
mq_timedreceive           243   183
mq_notify                 244   184
mq_getsetattr             245   185
remap_file_pages          216   234
mlock                     149   228
mlock2                    325   284
mlockall                  151   230
# Another user, more capabilities.
setuid                    105   146
setgid                    106   144
setreuid                  113   145
setregid                  114   143
setresuid                 117   147
setresgid                 119   149
setgroups                 116   159
setfsuid                  122   151
setfsgid                  123   152
capset                    126    91
# Another view of the machine: namespaces, mounts, roots.
unshare                   272    97
setns                     308   268
chroot                    161    51
pivot_root                155    41
mount                     165    40
umount2                   166    39
fsopen                    430   430
fsconfig                  431   431
fsmount                   432   432
fspick                    433   433
open_tree                 428   428
move_mount                429   429
mount_setattr             442   442
# The machine itself, which is root's.
acct                      163    89
adjtimex                  159   171
clock_adjtime             305   266
clock_settime             227   112
settimeofday              164   170
delete_module             176   106
finit_module              313   273
init_module               175   105
kexec_file_load           320   294
kexec_load                246   104
quotactl                  179    60
quotactl_fd               443   443
reboot                    169   142
sethostname               170   161
setdomainname             171   162
swapoff                   168   225
swapon                    167   224
syslog                    103   116
vhangup                   153    58
ioperm                    173     -
iopl                      172     -
# Parts of the kernel that a conversion has no use for, and attackers have.
add_key                   248   217
keyctl                    250   219
request_key               249   218
bpf                       321   280
io_setup                  206     0
io_uring_enter            426   426
io_uring_register         427   427
io_uring_setup            425   425
landlock_add_rule         445   445
landlock_create_ruleset   444   444
landlock_restrict_self    446   446
lookup_dcookie            212    18
mbind                     237   235
get_mempolicy             239   236
set_mempolicy             238   237
set_mempolicy_home_node   450   450
modify_ldt                154     -
nfsservctl                180    42
personality               135    92
seccomp                   317   277
sysfs                     139     -
_sysctl                   156     -
uselib                    134     -
userfaultfd               323   282
vmsplice                  278    75
"""

# worker/cell/seccomp.py says what of these is let through.
_CLOSER = """
accept                     43   202
accept4                   288   242
bind                       49   200
clone                      56   220
clone3                    435   435
execve                     59   221
fcntl                      72    25
ioctl                      16    29
kill                       62   129
listen                     50   201
prctl                     157   167
prlimit64                 302   261
rt_sigqueueinfo           129   138
rt_tgsigqueueinfo         297   240
socket                     41   198
socketpair                 53   199
tgkill                    234   131
tkill                     200   130
"""


def denied(architecture: str) -> dict[str, int]:
    """Return the calls that fail whatever their arguments are."""
    return _numbers(_ALWAYS, architecture)


def examined(architecture: str) -> dict[str, int]:
    """Return the calls that are looked at more closely."""
    return _numbers(_CLOSER, architecture)


def _numbers(table: str, architecture: str) -> dict[str, int]:
    column = 1 + ARCHITECTURES.index(architecture)
    rows = [line.split() for line in table.splitlines() if line and not line.startswith("#")]
    return {row[0]: int(row[column]) for row in rows if row[column] != "-"}
