import re
s=open('docs/architecture.md').read(); f=open('scripts/move/architecture.md.txt').read()
H="| Package or module | Only in |"
intro=f[:f.index('## 1.')]; sec3=f[f.index('## 3. The packages'):f.index(H)]
s=intro+s[s.index('## 1.'):s.index('## 3. The tree')]+sec3+s[s.index(H):]
a=s.index(H); b=s.index('\n\n',a); t=s[a:b]
for x,y in [('| zod | all but domain |','| zod | all but sdk |'),('| commander | commands, main |','| commander | commands, main, cli, conformance |'),
 ('all but domain, operations, media/drawing, media/pixels, media/plan, endpoints, engines |','all but contract, media, engines, sdk, cli, conformance |'),
 ('all but domain, contract, operations, media/drawing, media/pixels, media/plan, endpoints |','all but contract |'),
 ('runtime/telemetry','telemetry'),('runtime/config','config'),
 ('| node:child_process | supervisor, app, app/postgres, commands |','| node:child_process | supervisor, app, app/postgres, commands, cli |'),
 ('commands (loopback-files.ts, receiver.ts, raw-call.ts)','commands (loopback-files.ts), conformance (receiver.ts, raw-call.ts)'),
 ('commands (raw-call.ts)','conformance (raw-call.ts)'),
 ('| fetch() | outbound, client, commands (follow-request.ts, forward-event.ts, relay.ts, caller.ts) |','| fetch() | outbound, sdk, commands (follow-request.ts), cli (forward-event.ts, relay.ts), conformance (caller.ts) |')]:
    if x not in t: print('MISS',x)
    t=t.replace(x,y)
s=s[:a]+t+s[b:]
open('docs/architecture.md','w').write(s)
