#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include <string.h>
#include <stdint.h>
static uint64_t s[2];
static inline uint64_t rotl(uint64_t x,int k){return (x<<k)|(x>>(64-k));}
static inline double U(){uint64_t a=s[0],b=s[1],r=a+b;b^=a;s[0]=rotl(a,24)^b^(b<<16);s[1]=rotl(b,37);return ((r>>11)+0.5)*(1.0/9007199254740992.0);}
static inline double E(){return -log(U());}
static double svc(double m,double c){
 if(m<=0)return 0; if(c==0)return m; if(c==1)return m*E();
 if(c>1){double p=0.5*(1+sqrt((c-1)/(c+1)));return U()<p?E()*m/(2*p):E()*m/(2*(1-p));}
 int k=(int)ceil(1/c-1e-12); double p=(k*c-sqrt(k*(1+c)-k*k*c))/(1+c); double mu=(k-p)/m; int n=U()<p?k-1:k; double t=0; for(int i=0;i<n;i++)t+=E(); return t/mu;}
#define MK 4
#define MR 6
#define MC 20000
typedef struct{int cls,rank,serving,left;long seq;double rem,fin,t0;}C;
static C st[MK][MC]; static int n[MK],busy[MK]; static int cnt[MK][MR];
int K,R,type[MK],srv[MK],rk[MK][MR]; double tm[MK][MR],cv[MK][MR],vis[MK][MR],pop[MR],Z[MR],lam[MR];
int over;int think[MR]; double now; long seq; long done[MR]; double resp[MR]; long events;
static void sched(int k){
 if(type[k]==1)return;
 if(type[k]==3){ // preemptive
  // choose c best; stop the others
  int c=srv[k];
  for(;;){ int best=-1,worst=-1;
   for(int i=0;i<n[k];i++){C*x=&st[k][i]; if(!x->serving){ if(best<0||x->rank>st[k][best].rank||(x->rank==st[k][best].rank&&x->seq<st[k][best].seq))best=i;} else { if(worst<0||x->rank<st[k][worst].rank||(x->rank==st[k][worst].rank&&x->seq>st[k][worst].seq))worst=i;}}
   if(best<0)return;
   if(busy[k]<c){st[k][best].serving=1;st[k][best].fin=now+st[k][best].rem;busy[k]++;continue;}
   if(st[k][best].rank>st[k][worst].rank){st[k][worst].serving=0;st[k][worst].rem=st[k][worst].fin-now;st[k][best].serving=1;st[k][best].fin=now+st[k][best].rem;continue;}
   return;}
 }
 while(busy[k]<srv[k]&&busy[k]<n[k]){int best=-1;
  for(int i=0;i<n[k];i++){C*x=&st[k][i]; if(x->serving)continue; if(type[k]==0){ if(best<0||x->seq<st[k][best].seq)best=i;} else if(best<0||x->rank>st[k][best].rank||(x->rank==st[k][best].rank&&x->seq<st[k][best].seq))best=i;}
  st[k][best].serving=1;st[k][best].fin=now+st[k][best].rem;busy[k]++;}
}
static void arrive(int k,int r,int left,double t0){
 if(n[k]>=MC-1){over=1;return;}
 C*x=&st[k][n[k]++]; x->cls=r;x->rank=rk[k][r];x->serving=0;x->left=left;x->seq=seq++;x->t0=t0; x->rem=type[k]==1?0:svc(tm[k][r],cv[k][r]); cnt[k][r]++; sched(k);}
static void onward(int k,int r,double t0){ // from station k on (k = next station to try)
 for(;k<K;k++){ double v=vis[k][r]; int m=(int)floor(v); if(v>m&&U()<v-m)m++; if(m>0){arrive(k,r,m-1,t0);return;} }
 done[r]++;resp[r]+=now-t0;
 if(lam[r]<0){ if(Z[r]>0)think[r]++; else { onward(0,r,now);} }
}
static void leave(int k,int i){C x=st[k][i]; memmove(&st[k][i],&st[k][i+1],sizeof(C)*(n[k]-i-1)); n[k]--; cnt[k][x.cls]--; if(type[k]!=1)busy[k]--; 
 if(x.left>0){ arrive(k,x.cls,x.left-1,x.t0); sched(k);} else { if(type[k]!=1){ /* the server takes the next first */ sched(k);} onward(k+1,x.cls,x.t0);} }
int main(){
 long N;int id;
 while(scanf("%d %ld %d %d",&id,&N,&K,&R)==4){
  s[0]=88172645463325252ULL+id;s[1]=0x9E3779B97F4A7C15ULL^id;for(int i=0;i<20;i++)U();
  for(int k=0;k<K;k++){scanf("%d %d",&type[k],&srv[k]);for(int r=0;r<R;r++)scanf("%lf %lf %lf %d",&tm[k][r],&cv[k][r],&vis[k][r],&rk[k][r]);}
  for(int r=0;r<R;r++)scanf("%lf %lf %lf",&pop[r],&Z[r],&lam[r]); // lam<0: closed
  memset(n,0,sizeof n);memset(busy,0,sizeof busy);memset(cnt,0,sizeof cnt);memset(done,0,sizeof done);memset(resp,0,sizeof resp);memset(think,0,sizeof think);now=0;seq=0;
  for(int r=0;r<R;r++) if(lam[r]<0) for(int i=0;i<(int)pop[r];i++){ if(Z[r]>0)think[r]++; else onward(0,r,0);}
  over=0;double start=0; double b_rate[MR][20],b_resp[MR][20]; 
  for(int part=-2;part<20;part++){
   long per=N/20; memset(done,0,sizeof done);memset(resp,0,sizeof resp);start=now;
   for(long e=0;e<per&&!over;e++){
    double rate=0,w[2*MR+MK*MR];int m=0;
    for(int r=0;r<R;r++){ w[m]=lam[r]>0?lam[r]:0; rate+=w[m++]; w[m]=(lam[r]<0&&think[r])?think[r]/Z[r]:0; rate+=w[m++];}
    for(int k=0;k<K;k++){ int tot=n[k]; double sp=type[k]==1&&tot?(tot<srv[k]?1.0:(double)srv[k]/tot):0; for(int r=0;r<R;r++){ w[m]=type[k]==1&&cnt[k][r]?cnt[k][r]*sp/tm[k][r]:0; rate+=w[m++]; }}
    double t=rate>0?now+E()/rate:1e300; int bk=-1,bi=-1; double bt=t;
    for(int k=0;k<K;k++) if(type[k]!=1){int left=busy[k];for(int i=0;i<n[k]&&left;i++) if(st[k][i].serving){left--; if(st[k][i].fin<bt){bt=st[k][i].fin;bk=k;bi=i;}}}
    now=bt;
    if(bk>=0){leave(bk,bi);continue;}
    double u=U()*rate; int j=0; while(j<m-1&&u>=w[j]){u-=w[j];j++;} while(w[j]==0&&j>0)j--;
    if(j<2*R){int r=j/2; if(j%2==0)onward(0,r,now); else {think[r]--;onward(0,r,now);} }
    else {int k=(j-2*R)/R,r=(j-2*R)%R; int c=(int)(U()*cnt[k][r]); for(int i=0;i<n[k];i++) if(st[k][i].cls==r){ if(c==0){leave(k,i);break;} c--; } }
   }
   if(part>=0)for(int r=0;r<R;r++){b_rate[r][part]=done[r]/(now-start);b_resp[r][part]=done[r]?resp[r]/done[r]:0;}
  }
  if(over)continue;printf("%d",id);
  for(int r=0;r<R;r++){ double a=0,b=0,c=0,d=0; for(int i=0;i<20;i++){a+=b_rate[r][i];b+=b_rate[r][i]*b_rate[r][i];c+=b_resp[r][i];d+=b_resp[r][i]*b_resp[r][i];}
   a/=20;c/=20;b=sqrt(fmax(0,b/20-a*a)/19);d=sqrt(fmax(0,d/20-c*c)/19); printf(" %.8g %.3g %.8g %.3g",a,b,c,d);}
  printf("\n");fflush(stdout);
 }
}
