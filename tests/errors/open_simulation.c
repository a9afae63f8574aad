/* Open networks of exponential and other times, customer by customer. Standard input: stations (kind, servers), classes (rate, priority, routes of probability and steps of station, mean, scv), arrivals, seed. Output by class: mean response and its 50th, 90th, 95th, 99th and 99.9th percentiles. */
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
typedef struct {int st; double mean, scv;} Step;
typedef struct {double p; int n; Step s[24];} Route;
typedef struct {double rate; int prio; int nr; Route r[8];} Cls;
static uint64_t s[4];
static inline uint64_t rotl(uint64_t x,int k){return (x<<k)|(x>>(64-k));}
static inline uint64_t nx(){uint64_t r=rotl(s[1]*5,7)*9,t=s[1]<<17;s[2]^=s[0];s[3]^=s[1];s[1]^=s[2];s[0]^=s[3];s[2]^=t;s[3]=rotl(s[3],45);return r;}
static inline double U(){return ((nx()>>11)+0.5)/9007199254740992.0;}
static inline double E(){return -log(U());}
static double draw(double m,double c){
 if(c<=0) return m; if(c>1.000001){double p=(1+sqrt((c-1)/(c+1)))/2; return U()<p? m*E()/(2*p): m*E()/(2*(1-p));}
 if(c>0.999999) return m*E();
 int k=(int)ceil(1/c-1e-9); if(k<2)k=2; double p=(k*c-sqrt(fmax(k*(1+c)-k*(double)k*c,0)))/(1+c); if(p<0)p=0; if(p>1)p=1; int n=U()<p?k-1:k; double x=0; for(int i=0;i<n;i++)x+=E(); return m*x/(k-p);}
typedef struct {int cls,rt,step; double arr, rem, start; int serving; int next; long ver;} Job;
#define MJ 2000000
static Job *J; static int freelist=-1,nj=0;
typedef struct {double t; int type; int a; long ver;} Ev; // type0 arrival class a;1 job done a; 2 ps station a
static Ev *H; static int hn=0;
static void push(Ev e){int i=hn++; while(i){int p=(i-1)/2; if(H[p].t<=e.t)break; H[i]=H[p]; i=p;} H[i]=e;}
static Ev pop(){Ev r=H[0],e=H[--hn]; int i=0; for(;;){int c=2*i+1; if(c>=hn)break; if(c+1<hn&&H[c+1].t<H[c].t)c++; if(e.t<=H[c].t)break; H[i]=H[c]; i=c;} H[i]=e; return r;}
typedef struct {int kind,srv; int head[8],tail[8]; int busy; int *in; int nin; double v; double last; long ver; int capin;} St;
static St S[16]; static Cls C[8]; static int ns,nc; static double now=0;
static double **resp; static long *nresp; static long cap; static double visitT[16][8]; static long visitN[16][8];
static void enter(int j);
static void enq(St*q,int p,int j,int front){ if(front){J[j].next=q->head[p]; q->head[p]=j; if(q->tail[p]<0)q->tail[p]=j;} else {J[j].next=-1; if(q->tail[p]>=0)J[q->tail[p]].next=j; else q->head[p]=j; q->tail[p]=j;}}
static int deq(St*q){for(int p=7;p>=0;p--) if(q->head[p]>=0){int j=q->head[p]; q->head[p]=J[j].next; if(q->head[p]<0)q->tail[p]=-1; return j;} return -1;}
static void begin(St*q,int j){q->busy++; J[j].serving=1; J[j].start=now; J[j].ver++; push((Ev){now+J[j].rem,1,j,J[j].ver}); if(q->kind==2){q->in[q->nin++]=j;}}
static void pssched(int si){St*q=&S[si]; q->ver++; if(!q->nin)return; int b=0; for(int i=1;i<q->nin;i++) if(J[q->in[i]].rem<J[q->in[b]].rem)b=i; double rate=q->nin<=q->srv?1.0:(double)q->srv/q->nin; push((Ev){now+(J[q->in[b]].rem-q->v)/rate,2,si,q->ver});}
static void psadv(int si){St*q=&S[si]; if(q->nin){double rate=q->nin<=q->srv?1.0:(double)q->srv/q->nin; q->v+=rate*(now-q->last);} q->last=now;}
static double arrst[1];
static void enter(int j){
 for(;;){Job*b=&J[j]; Route*r=&C[b->cls].r[b->rt];
 if(b->step>=r->n){ if(nresp[b->cls]<cap) resp[b->cls][nresp[b->cls]++]=now-b->arr; b->next=freelist; freelist=j; return;}
 Step*x=&r->s[b->step]; St*q=&S[x->st]; b->rem=draw(x->mean,x->scv); int p=C[b->cls].prio;
 if(q->kind==4){b->ver++; push((Ev){now+b->rem,1,j,b->ver}); return;}
 if(q->kind==3){psadv(x->st); b->rem+=q->v; q->in[q->nin++]=j; pssched(x->st); return;}
 if(q->kind==0)p=0;
 if(q->busy<q->srv){begin(q,j);return;}
 if(q->kind==2){int w=-1; for(int i=0;i<q->nin;i++){int pi=C[J[q->in[i]].cls].prio; if(pi<p&&(w<0||pi<C[J[q->in[w]].cls].prio||(pi==C[J[q->in[w]].cls].prio&&J[q->in[i]].start>J[q->in[w]].start)))w=i;}
  if(w>=0){int k=q->in[w]; q->in[w]=q->in[--q->nin]; q->busy--; J[k].rem-=now-J[k].start; J[k].ver++; J[k].serving=0; enq(q,C[J[k].cls].prio,k,1); begin(q,j); return;}}
 enq(q,p,j,0); return;}
}
static int cmp(const void*a,const void*b){double x=*(double*)a,y=*(double*)b; return x<y?-1:x>y;}
int main(){long N,seed; if(scanf("%d",&ns)!=1)return 1; J=malloc(sizeof(Job)*MJ); H=malloc(sizeof(Ev)*MJ*3);
 for(int i=0;i<ns;i++){scanf("%d %d",&S[i].kind,&S[i].srv); for(int p=0;p<8;p++)S[i].head[p]=S[i].tail[p]=-1; S[i].in=malloc(sizeof(int)*MJ);}
 scanf("%d",&nc); double tot=0; for(int c=0;c<nc;c++){scanf("%lf %d %d",&C[c].rate,&C[c].prio,&C[c].nr); tot+=C[c].rate; for(int r=0;r<C[c].nr;r++){Route*R=&C[c].r[r]; scanf("%lf %d",&R->p,&R->n); for(int k=0;k<R->n;k++)scanf("%d %lf %lf",&R->s[k].st,&R->s[k].mean,&R->s[k].scv);}}
 scanf("%ld %ld",&N,&seed); s[0]=seed*0x9E3779B97F4A7C15ull+1;s[1]=seed^0xBF58476D1CE4E5B9ull;s[2]=seed*77+13;s[3]=0x94D049BB133111EBull; for(int i=0;i<100;i++)nx();
 resp=malloc(sizeof(double*)*nc); nresp=calloc(nc,sizeof(long)); cap=N; for(int c=0;c<nc;c++)resp[c]=malloc(sizeof(double)*N);
 push((Ev){E()/tot,0,0,0}); long n=0; int warm=0;
 while(n<N+N/20){Ev e=pop(); now=e.t;
  if(e.type==0){n++; if(!warm&&n>N/20){warm=1; for(int c=0;c<nc;c++)nresp[c]=0;}
   push((Ev){now+E()/tot,0,0,0}); double u=U()*tot; int c=0; while(c<nc-1&&u>C[c].rate){u-=C[c].rate;c++;} double v=U(); int r=0; while(r<C[c].nr-1&&v>C[c].r[r].p){v-=C[c].r[r].p;r++;}
   int j; if(freelist>=0){j=freelist;freelist=J[j].next;} else {j=nj++; J[j].ver=0; if(nj>=MJ){printf("overflow\n");return 2;}} J[j].cls=c;J[j].rt=r;J[j].step=0;J[j].arr=now; enter(j);}
  else if(e.type==1){int j=e.a; if(J[j].ver!=e.ver)continue; J[j].ver++; St*q=&S[C[J[j].cls].r[J[j].rt].s[J[j].step].st]; J[j].serving=0;
   if(q->kind!=4){q->busy--; if(q->kind==2)for(int i=0;i<q->nin;i++)if(q->in[i]==j){q->in[i]=q->in[--q->nin];break;} int k=deq(q); if(k>=0)begin(q,k);}
   J[j].step++; enter(j);}
  else {St*q=&S[e.a]; if(q->ver!=e.ver)continue; psadv(e.a); int b=0; for(int i=1;i<q->nin;i++) if(J[q->in[i]].rem<J[q->in[b]].rem)b=i; int j=q->in[b]; q->in[b]=q->in[--q->nin]; if(!q->nin)q->v=0; pssched(e.a); J[j].step++; enter(j);}
 }
 for(int c=0;c<nc;c++){long m=nresp[c]; double t=0; for(long i=0;i<m;i++)t+=resp[c][i]; qsort(resp[c],m,sizeof(double),cmp); printf("%.9g",t/m); double sh[]={.5,.9,.95,.99,.999}; for(int k=0;k<5;k++)printf(" %.9g",resp[c][(long)(sh[k]*m)]); printf("\n");}
 return 0;}
